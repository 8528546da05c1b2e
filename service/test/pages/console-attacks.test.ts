import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/glossary.ts";
import { CorrectLot, LocateLot } from "../../src/inventory/stock/lot-write-contract.ts";
import { OPERATOR_REQUESTS_PER_MINUTE } from "../../src/partners/operators/limits.ts";
import { CUSTOMER } from "../contract/order-world.ts";
import { operate } from "../operate.ts";
import { sizeOr } from "../sizes.ts";
import { hasBrowser } from "./browser.ts";
import { type OpenConsole, openConsole, show } from "./console-look.ts";
import { PAYLOADS } from "./payloads.ts";

/* What partners and operators may have written, and pages of other sites that a signed-in person opens. */

let open: OpenConsole;
let house: OpenConsole["house"];

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.stock({ TEA: 100_000 });
}, 60_000);
afterAll(() => open?.close());

/** Milliseconds in which a page has certainly shown what arrived. */
const RENDER_MS = 300;

/** What would betray that a payload ran: each of them sets `window.owned`. */
const isOwned = (page: Page): Promise<boolean> => page.evaluate("'owned' in window || document.title === 'owned'");

/** Milliseconds over which an operator's requests are counted, and the maximum number of them that a page may need. */
const MINUTE_MS = 60_000;
const OF_ONE_PAGE = 20;

/** Returns a wait until the console of a page may ask for another page, below the operator's rate limit. */
function pacing(page: Page): () => Promise<void> {
	let asked: number[] = [];
	page.on("request", (request) => {
		if (request.url().includes("/admin/api/")) asked.push(performance.now());
	});
	return async () => {
		for (;;) {
			asked = asked.filter((at) => at > performance.now() - MINUTE_MS);
			if (asked.length < OPERATOR_REQUESTS_PER_MINUTE - OF_ONE_PAGE) return;
			await page.waitForTimeout(RENDER_MS);
		}
	};
}

/** Follows a list to its end. */
async function readToTheEnd(page: Page, mayAsk: () => Promise<void>): Promise<void> {
	for (;;) {
		await page.getByText("Loading…").first().waitFor({ state: "detached" });
		expect([page.url(), await isOwned(page)]).toEqual([page.url(), false]);
		const next = page.getByRole("button", { name: "Next page" });
		if ((await next.count()) === 0) return;
		// until its rows are there, a page shows those of the one before
		await mayAsk();
		const answered = page.waitForResponse((response) => /[?&]cursor=/.test(response.url()));
		await next.click();
		await (await answered).finished();
		await page.waitForTimeout(RENDER_MS);
	}
}

/** Writes a payload wherever a partner or an operator may write a text. What is refused is not stored. */
async function write(payload: string, n: number): Promise<string | null> {
	const key = await house.mint({
		name: payload.slice(0, 60),
		partner: `${payload} ${n}`.slice(0, 100),
		scopes: SCOPES,
	});
	const held = await house.call(key.token, "/api/v1/reserve", {
		body: { items: [{ sku: "TEA", qty: 1 }], external_ref: payload.slice(0, 100) },
	});
	const reservation_token = held.json.data?.reservation_token;
	if (reservation_token === undefined) return null;
	const ship_to = { ...CUSTOMER.ship_to, line1: payload.slice(0, 100), city: payload.slice(0, 50) };
	const placed = await house.call(key.token, "/api/v1/orders", {
		body: {
			reservation_token,
			external_order_id: `${payload} ${n}`.slice(0, 100),
			customer: { name: payload.slice(0, 100), ship_to },
		},
		headers: { "Idempotency-Key": `order-${n}` },
	});
	return placed.json.data?.order_id ?? null;
}

describe.skipIf(!hasBrowser)("What was written by whoever may write", () => {
	it("is shown as text on every page, whatever it is", async () => {
		const payloads = PAYLOADS.filter((_, n) => n % sizeOr(1, 62) === 0);
		const orders: string[] = [];
		for (const [n, payload] of payloads.entries()) {
			const order = await write(payload, n);
			if (order !== null) orders.push(order);
		}
		expect(orders.length).toBeGreaterThan(payloads.length / 2);
		const { rows } = await house.db.query<{ fg_id: string }>("select fg_id from lot limit 1");
		const fg_id = rows[0]?.fg_id ?? "";
		for (const payload of payloads.slice(0, 50)) {
			const params = { fg_id };
			const reason = payload.slice(0, 500);
			await operate(open.socket, LocateLot, { params, body: { location: payload.slice(0, 50) } });
			await operate(open.socket, CorrectLot, { params, body: { units: 1, reason } });
		}
		const page = await open.personIn("anna", "admin");
		const mayAsk = pacing(page);
		const lists = [
			"",
			"/orders",
			"/holds",
			"/warehouse",
			"/boxes",
			"/stock",
			`/stock/${fg_id}`,
			"/ledger",
			"/api-keys",
		];
		for (const at of [
			...lists,
			"/requests",
			"/requests/errors",
			"/golives",
			"/audit",
			"/webhooks",
			"/webhooks/deliveries",
			"/webhooks/events",
			"/exceptions",
		]) {
			await mayAsk();
			await show(page, at);
			await readToTheEnd(page, mayAsk);
		}
		for (const order of orders) {
			for (const at of [`/orders/${order}`, `/warehouse/orders/${order}`]) {
				await mayAsk();
				await show(page, at);
				expect([at, await isOwned(page)]).toEqual([at, false]);
			}
		}
		await page.context().close();
	}, 3_600_000);
});

describe.skipIf(!hasBrowser)("A page of another site that a signed-in admin opens", () => {
	const evil = new Map<string, string>();
	let server: Server;
	let port: number;

	beforeAll(async () => {
		server = createServer((request, response) => {
			response.setHeader("Content-Type", "text/html");
			response.end(evil.get(request.url ?? "") ?? "");
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		({ port } = server.address() as AddressInfo);
	});
	afterAll(() => server?.close());

	// the same host on another port is the same site for cookies, and another origin
	it.each(["127.0.0.1", "localhost"])(
		"at %s writes nothing, reads nothing, and cannot frame the console",
		async (host) => {
			const page = await open.personIn(`bert-${host.length}`, "admin", { at: "" });
			const { api } = house;
			const invite = `${api}/admin/api/v1/people/invite`;
			evil.set(
				"/form",
				`<form method=post enctype="text/plain" action="${invite}"><input name='{"name":"evil","role":"admin","x":"' value='"}'></form>
			 <script>document.forms[0].submit()</script>`,
			);
			evil.set(
				"/fetch",
				`<script>
			const body = JSON.stringify({ name: "evil", role: "admin" });
			const tries = [
				fetch("${invite}", { method: "POST", mode: "no-cors", credentials: "include", body }),
				fetch("${invite}", { method: "POST", credentials: "include", body, headers: { "Content-Type": "application/json" } }),
				fetch("${api}/admin/api/v1/sign-out", { method: "POST", mode: "no-cors", credentials: "include" }),
				fetch("${api}/admin/api/v1/me", { credentials: "include" }).then((reply) => reply.text()).then((text) => { window.read = text; }),
			];
			Promise.allSettled(tries).then(() => { document.title = "tried"; });
			</script><img src="${api}/admin/api/v1/sign-out"><img src="${api}/admin/api/v1/me">`,
			);
			evil.set("/frame", `<iframe src="${api}/admin/orders" onload="document.title = 'framed'"></iframe>`);
			const other = await page.context().newPage();
			await other.goto(`http://${host}:${port}/form`);
			await other.waitForURL(invite);
			expect(await other.locator("body").textContent()).toContain("error");
			await other.goto(`http://${host}:${port}/fetch`);
			await other.waitForFunction("document.title === 'tried'");
			expect(await other.evaluate("window.read")).toBeUndefined();
			await other.goto(`http://${host}:${port}/frame`);
			await other.waitForFunction("document.title === 'framed'");
			expect(other.frames().map((frame) => frame.url())).not.toContain(`${api}/admin/orders`);
			const { rows } = await house.db.query("select 1 from operator_person where name = 'evil'");
			expect(rows).toEqual([]);
			await page.reload();
			await page.getByRole("heading", { name: "Today", level: 1 }).waitFor(); // still signed in
			await page.context().close();
		},
	);
});
