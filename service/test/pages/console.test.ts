import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { QuarantineLot } from "../../src/inventory/recall/lot-admin-contract.ts";
import { ReceiveUnits } from "../../src/inventory/stock/lot-write-contract.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { placeOrder } from "../operator/placed.ts";
import { PASSWORD } from "../person.ts";
import { hasBrowser } from "./browser.ts";
import { DESK, LOOKS, lookAt, type OpenConsole, openConsole, show, visit } from "./console-look.ts";

/*
 * The console as an operator uses it: a real browser, the committed files, the service's own policy. Any request to
 * another origin, any script or style that the policy forbids, and any error on the browser's console fails the test.
 */

let open: OpenConsole;
let house: OpenConsole["house"];

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.stock({ TEA: 100 });
}, 60_000);
afterAll(() => open?.close());

const noteToken = async (page: Page): Promise<string> => {
	const token = (await page.locator(".copy pre").first().textContent()) ?? "";
	keepSecretsOf(JSON.stringify({ token }));
	return token;
};

describe.skipIf(!hasBrowser)("The console", () => {
	it("leads from the set-up link to the first key, and shows the first hold as it arrives", async () => {
		const context = await open.browser.newContext({ viewport: DESK });
		const page = await open.newPage(context, await open.linkFor("anna", "admin"));
		await page.getByRole("heading", { name: "Welcome, anna" }).waitFor();
		await page.getByLabel("Password").fill("anna");
		await page.getByRole("button", { name: "Go on" }).click();
		await page.getByText("has fewer than 12 characters").waitFor();
		await page.getByLabel("Password").fill(PASSWORD);
		await page.getByRole("button", { name: "Go on" }).click();
		await page.getByRole("heading", { name: "First steps" }).waitFor();
		expect(await page.getByText("Nothing needs attention").count()).toBe(0);
		await visit(page, "Partners and keys");
		await page.getByText("There are no keys yet").waitFor();
		await page.getByRole("link", { name: "New key" }).click();
		await page.getByLabel("Partner", { exact: true }).fill("Shop");
		await page.getByLabel("Key", { exact: true }).fill("web");
		await page.getByLabel("Environment").selectOption("live");
		await page.getByLabel("Brand").getByText("none: may act for every brand").waitFor({ state: "attached" });
		await page.getByLabel("May sell the shared stock").check();
		await page.getByRole("button", { name: "New key" }).click();
		await page.getByRole("heading", { name: "The key is shown only now" }).waitFor();
		const token = await noteToken(page);
		await page.getByRole("button", { name: "I have kept it" }).click();
		await page.getByRole("heading", { name: "Shop: web" }).waitFor();
		await visit(page, "Holds");
		await page.getByText("There are no holds here").waitFor();
		const body = { items: [{ sku: "TEA", qty: 2 }], external_ref: "first-hold" };
		expect((await house.call(token, "/api/v1/reserve", { body })).status).toBe(201);
		await page.getByRole("link", { name: "first-hold" }).click(); // it came by itself
		await page.getByRole("button", { name: "Release this hold" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Release this hold" }).click();
		await page.getByText("released").waitFor();
		await visit(page, "Audit log");
		await page.getByRole("cell", { name: "anna" }).first().waitFor();
		await page.getByRole("button", { name: "Verify the log" }).click();
		await page.getByText("The log is whole").waitFor();
		await context.close();
	}, 120_000);

	it("loses nothing that was typed when the session ends in the middle of a form, or has become old", async () => {
		const page = await open.personIn("bert", "admin", { at: "/api-keys/new" });
		for (const [name, change] of [
			[
				"ended",
				"update operator_session set ended_at = now() where person_id in (select person_id from operator_person where name = 'bert')",
			],
			["old", "update operator_session set created_at = now() - interval '11 minutes' where ended_at is null"],
		] as const) {
			await page.getByLabel("Partner", { exact: true }).fill("Shop");
			await page.getByLabel("Key", { exact: true }).fill(name);
			await house.db.query(change);
			await house.db.query("select pg_sleep(0.3)"); // longer than a node may know the session as it was
			await page.getByRole("button", { name: "New key" }).click();
			const dialog = page.getByRole("dialog", { name: "Sign in" });
			await dialog.getByLabel("Password").fill(PASSWORD);
			await dialog.getByRole("button", { name: "Sign in" }).click();
			await page.getByRole("heading", { name: `Shop: ${name}` }).waitFor();
			await noteToken(page);
			await page.goto(`${house.api}/admin/api-keys/new`);
		}
		await page.context().close();
	}, 120_000);

	it("says of what it reads by itself that nobody is there, until a person acts on the page", async () => {
		const page = await open.personIn("udo", "admin", { at: "" });
		await page.clock.install();
		const markOf = async (path: string, work: () => Promise<unknown>): Promise<string | undefined> => {
			const whole = `${house.api}/admin/api/v1${path}`;
			const answered = page.waitForResponse((response) => response.url().startsWith(whole));
			await work();
			return (await answered).request().headers()["x-unattended"];
		};
		const FIGURE = "/series?name=requests"; // read again every ten seconds
		const pass = (ms: number) => () => page.clock.fastForward(ms);
		expect(await markOf(FIGURE, () => page.reload())).toBe(undefined);
		expect(await markOf(FIGURE, pass(11_000))).toBe(undefined); // somebody has just opened it
		expect(await markOf(FIGURE, pass(61_000))).toBe("true");
		expect(await markOf("/me", () => page.mouse.wheel(0, 40))).toBe(undefined);
		expect(await markOf(FIGURE, pass(11_000))).toBe(undefined);
		expect(await markOf(FIGURE, pass(61_000))).toBe("true");
		await page.context().close();
	}, 60_000);

	it("leads people of the warehouse to their queue, and shows them no form that they may not send", async () => {
		const page = await open.personIn("wim", "warehouse", { at: "" });
		await page.getByRole("heading", { name: "Warehouse", level: 1 }).waitFor();
		await visit(page, "Today");
		expect(await page.getByRole("heading", { name: "First steps" }).count()).toBe(0);
		for (const at of ["/api-keys/new", "/recalls/new", "/certificates/new", "/golives/new"]) {
			await page.goto(`${house.api}/admin${at}`);
			await page.getByRole("heading", { name: "Your role does not include this" }).waitFor();
			expect(await page.locator("main form").count()).toBe(0);
		}
		await page.goto(`${house.api}/admin/stock/receive`);
		await page.getByRole("heading", { name: "Receive a batch" }).waitFor();
		await page.context().close();
	}, 60_000);

	it("names on Today what Health finds wrong", async () => {
		await house.db.query(
			`insert into running_node (node_id, started_at, seen_at, settings)
			 select gen_random_uuid(), now() - interval '1 day', now(), settings || '{"HOLDFAST_TIME_ZONE":"Asia/Tokyo"}' from running_node`,
		);
		const page = await open.personIn("heinz", "viewer", { at: "" });
		await page.getByText("One thing needs attention common settings").waitFor();
		expect(await page.getByText("Nothing needs attention").count()).toBe(0);
		await house.db.query("delete from running_node where started_at < now() - interval '12 hours'");
		await page.getByRole("link", { name: "One thing needs attention" }).click();
		await page.getByRole("heading", { name: "Health", level: 1 }).waitFor();
		await page.context().close();
	}, 60_000);

	it("shows each of two operators what the other does to an order", async () => {
		const partner = await house.mint({ name: "orders", partner: "Order Shop", scopes: SCOPES });
		const held = await house.call(partner.token, "/api/v1/reserve", { body: { items: [{ sku: "TEA", qty: 1 }] } });
		const ship_to = { line1: "1 Main St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
		const placed = await house.call(partner.token, "/api/v1/orders", {
			body: {
				reservation_token: held.json.data.reservation_token,
				external_order_id: "shop-1",
				customer: { name: "Ada", ship_to },
			},
			headers: { "Idempotency-Key": "order-1" },
		});
		expect(placed.status).toBe(201);
		const [first, second] = [await open.personIn("carl", "operator"), await open.personIn("dora", "operator")];
		for (const page of [first, second]) {
			await visit(page, "Orders");
			await page.getByRole("link", { name: "shop-1" }).click();
			await page.getByRole("heading", { name: "Order shop-1" }).waitFor();
		}
		await first.getByRole("button", { name: "Put on hold" }).click();
		await first.getByRole("dialog").getByLabel("Reason").fill("asked by phone");
		await first.getByRole("dialog").getByRole("button", { name: "Put on hold" }).click();
		await second.getByRole("button", { name: "Release" }).waitFor(); // without a reload
		await second.getByText("put on hold carl").waitFor();
		await second.getByRole("button", { name: "Release" }).click();
		await second.getByRole("dialog").getByRole("button", { name: "Release" }).click();
		await first.getByRole("button", { name: "Put on hold" }).waitFor();
		for (const page of [first, second]) await page.context().close();
	}, 120_000);

	it("shows what a hold lost, what an order on hold lacks, and when it can be released", async () => {
		const [lot] = (await house.stock({ NUT: 4 })).lots;
		const { token } = await house.mint({ name: "nuts", partner: "Nut Shop", scopes: SCOPES });
		const body = { items: [{ sku: "NUT", qty: 1 }], external_ref: "nut-hold" };
		const held = await house.call(token, "/api/v1/reserve", { body });
		const order = await placeOrder(house, token, "nut-1", { sku: "NUT" });
		const params = { fg_id: lot?.fg_id ?? "" };
		await operate(open.socket, QuarantineLot, { params, body: { all: true, reason: "looks bad" } });
		const page = await open.personIn("nora", "operator", { at: `/holds/${held.json.data.reservation_token}` });
		await page.getByRole("row").filter({ hasText: "lost: taken away by a recall or a correction" }).waitFor();
		await page.goto(`${house.api}/admin/orders/${order.order_id}`);
		await page.getByText("lacks 2 units; not everything is there yet").waitFor();
		await page.getByRole("listitem").filter({ hasText: "placed Nut Shop, nuts" }).waitFor();
		await page.getByRole("button", { name: "Release" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
		await page.getByText("Order nut-1 lost units that are not in stock yet").waitFor();
		await page.keyboard.press("Escape");
		await operate(open.socket, ReceiveUnits, { params, body: { units: 2 } });
		await page.reload();
		await page.getByText(/everything is there: it can be released/).waitFor();
		await page.context().close();
	}, 60_000);

	it("erases the customer of an order that has ended, for an admin alone", async () => {
		const partner = await house.mint({ name: "erased", partner: "Old Shop", scopes: SCOPES });
		const customer = {
			name: "Ada Example",
			ship_to: { line1: "1 Main St", city: "Oslo", postal_code: "0150", country: "NO" },
		};
		await placeOrder(house, partner.token, "old-1", { sku: "TEA", qty: 1, external_order_id: "old-1", customer });
		const cancelled = await house.call(partner.token, "/api/v1/orders/old-1/cancel", { body: {} });
		expect(cancelled.status).toBe(200);
		const [operator, admin] = [await open.personIn("olga", "operator"), await open.personIn("ada", "admin")];
		for (const page of [operator, admin]) {
			await visit(page, "Orders");
			await page.getByRole("link", { name: "old-1" }).click();
			await page.getByText("Ada Example, 1 Main St").waitFor();
		}
		const erase = { name: "Erase the customer's data" };
		expect(await operator.getByRole("button", erase).count()).toBe(0);
		await admin.getByRole("button", erase).click();
		await admin.getByRole("dialog").getByText("This cannot be undone").waitFor();
		await admin.getByRole("dialog").getByRole("button", erase).click();
		await admin.getByText("Customer's data erased").waitFor();
		expect(await admin.getByText("Ada Example").count()).toBe(0);
		expect(await admin.getByRole("button", erase).count()).toBe(0);
		for (const page of [operator, admin]) await page.context().close();
	}, 120_000);

	it("signs in and out, and asks for the code of a second factor", async () => {
		const page = await open.personIn("emil", "operator");
		await visit(page, "Your account");
		await page.getByRole("button", { name: "Add an authenticator app" }).click();
		const secret = (await page.locator(".copy pre").first().textContent()) ?? "";
		keepSecretsOf(JSON.stringify({ secret }));
		const { totpOf } = await import("../../src/partners/people/totp.ts");
		await page
			.getByLabel("Code that the app shows")
			.fill(totpOf(secret, (Math.floor(performance.timeOrigin + performance.now()) / 30_000) | 0));
		await page.getByRole("button", { name: "Confirm" }).click();
		await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
		const codes = ((await page.locator(".copy pre").textContent()) ?? "").split("\n");
		for (const code of codes) keepSecretsOf(JSON.stringify({ secret: code }));
		await page.getByRole("button", { name: "I have kept them" }).click();
		await page.getByText("10 recovery codes left").waitFor();
		await house.db.query("update operator_session set created_at = now() - interval '11 minutes'");
		await house.db.query("select pg_sleep(0.3)"); // longer than a node may know the session as it was
		await page.goto(`${house.api}/admin/api-keys/new`);
		await page.getByLabel("Partner", { exact: true }).fill("Shop");
		await page.getByLabel("Key", { exact: true }).fill("stale");
		await page.getByRole("button", { name: "New key" }).click();
		const again = page.getByRole("dialog", { name: "Sign in" });
		await again.getByLabel("Code of your app").waitFor(); // at once
		expect(await again.getByRole("button", { name: "Use a passkey" }).count()).toBe(0);
		await again.getByRole("button", { name: "Cancel" }).click();
		await visit(page, "Your account");
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		await page.getByLabel("Name").fill("emil");
		await page.getByLabel("Password").fill("not the password at all");
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.getByText("Missing or invalid credentials").waitFor();
		await page.getByLabel("Password").fill(PASSWORD);
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.getByLabel("Code of your app").fill(must(codes[0], "a code"));
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
		expect(await page.getByRole("link", { name: "Audit log" }).count()).toBe(0); // a viewer may not
		await page.context().close();
	}, 120_000);

	it("adds a passkey, and signs in with it alone", async () => {
		const context = await open.browser.newContext({ viewport: DESK });
		const origin = house.api.replace("127.0.0.1", "localhost"); // the host name of passkeys on this machine
		const page = await open.newPage(context, await open.linkFor("paula", "operator"), origin);
		const devtools = await context.newCDPSession(page);
		await devtools.send("WebAuthn.enable");
		await devtools.send("WebAuthn.addVirtualAuthenticator", {
			options: {
				protocol: "ctap2",
				transport: "internal",
				hasResidentKey: true,
				hasUserVerification: true,
				isUserVerified: true,
			},
		});
		await page.getByLabel("Password").fill(PASSWORD);
		await page.getByRole("button", { name: "Go on" }).click();
		await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
		await visit(page, "Your account");
		await page.getByRole("button", { name: "Add a passkey" }).click();
		await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
		const codes = ((await page.locator(".copy pre").textContent()) ?? "").split("\n");
		for (const code of codes) keepSecretsOf(JSON.stringify({ secret: code }));
		await page.getByRole("button", { name: "I have kept them" }).click();
		await page.getByText("this device").waitFor();
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.getByRole("button", { name: "Use a passkey" }).click();
		await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
		await context.close();
	}, 120_000);

	it("runs nothing that a partner or an operator has written", async () => {
		const payload = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
		await house.mint({ name: "evil", partner: payload });
		const page = await open.personIn("fred", "admin");
		await visit(page, "Partners and keys");
		await page.getByText(payload).first().waitFor();
		expect(await page.title()).toBe("Partners and keys · Holdfast");
		await page.context().close();
	}, 60_000);

	it.each(LOOKS)(
		"axe-core finds nothing on any page, and nothing is cut off: $name",
		async ({ name, ...look }) => {
			const page = await open.personIn(`gina-${name}`, "admin", look);
			const lot = (await house.db.query("select fg_id from lot limit 1")).rows[0]?.fg_id;
			const key = (await house.db.query("select pk from api_key limit 1")).rows[0]?.pk;
			const pages = [
				"",
				"/orders",
				"/holds",
				"/stock",
				`/stock/${lot}`,
				"/api-keys",
				"/api-keys/new",
				`/api-keys/${key}`,
			];
			for (const at of [...pages, "/people", "/audit", "/account", "/orders/nothing"]) {
				await show(page, at);
				await lookAt(page, name, at);
			}
			await page.context().clearCookies();
			await page.goto(`${house.api}/admin`);
			await page.getByRole("heading", { name: "Sign in" }).waitFor();
			await lookAt(page, name, "sign-in");
			await page.context().close();
		},
		180_000,
	);

	it("is sent with a policy that lets nothing else in, and its files may be kept for ever", async () => {
		const page = await fetch(`${house.api}/admin/orders`);
		const text = await page.text();
		const policy = page.headers.get("content-security-policy") ?? "";
		const nonce = /script-src 'nonce-([0-9a-f]{24})' 'strict-dynamic'/.exec(policy)?.[1] ?? "none";
		expect(policy).toContain("frame-ancestors 'none'");
		expect(text).toContain(`nonce="${nonce}"`);
		expect(text).not.toMatch(/CSP-NONCE|COOKIE-SENT|<style|style=|onload=/);
		expect((await (await fetch(`${house.api}/admin`)).text()).includes(nonce)).toBe(false);
		const file = /src="(\/admin\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? "";
		const script = await fetch(house.api + file);
		expect([script.status, script.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
		for (const at of ["/admin/assets/none.js", "/admin/nothing", "/admin/api/v1/nothing"]) {
			const { status } = await fetch(house.api + at);
			expect([at, status]).toEqual([at, 404]);
		}
		const browser = { headers: { accept: "text/html" } };
		const nothing = await fetch(`${house.api}/admin/nonsense/here`, browser);
		const [, link = ""] = /href="([^"]+)">Open the console</.exec(await nothing.text()) ?? [];
		expect([nothing.status, new URL(link, nothing.url).pathname]).toEqual([404, "/admin"]);
		expect((await fetch(`${house.api}/admin/api/v1/nothing`, browser)).headers.get("content-type")).toMatch(/json/);
	});
});
