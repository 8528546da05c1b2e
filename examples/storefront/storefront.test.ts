import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { transaction } from "../../service/src/ground/pg/transaction.ts";
import { resumeKey, suspendKey } from "../../service/src/partners/keys/suspend-key.ts";
import { readShown } from "../../service/src/upkeep/golive/shown-document.ts";
import { hasBrowser, leaveBrowser, openBrowser } from "../../service/test/pages/browser.ts";
import { isWiderThanItsWindow, violations } from "../../service/test/pages/look.ts";
import { until } from "../../service/test/processes/child.ts";
import { openShop, type ShopOptions } from "./shop.ts";
import { type NewShop, openStreet, type Street } from "./shop-for-tests.ts";
import { FIELDS, pay, press, putIntoCart, refOf, textOf, titleOf, untilSays } from "./visitor-for-tests.ts";

/** The shop in a real browser, beside a real service. */

/** Milliseconds between two refreshes of a shop that is watched; of others nobody waits for one. */
const SOON_MS = 1_000;

const SKUS = ["SBX-PLENTY", "SBX-LOW", "SBX-KIT", "SBX-OUT", "SBX-HELD"];
let street: Street;
let browser: Browser;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
	if (!hasBrowser) return;
	street = await openStreet();
	browser = await openBrowser();
}, 60_000);
afterEach(async () => {
	await Promise.all(open.splice(0).map((one) => one.close()));
});
afterAll(async () => {
	await leaveBrowser();
	await street?.close();
});

interface OpenShop extends NewShop {
	readonly alerts: string[];
	readonly logs: string[];
	close(): Promise<void>;
}

async function openOne(options: Partial<ShopOptions> = {}): Promise<OpenShop> {
	const fresh = await street.newShop();
	const alerts: string[] = [];
	const logs: string[] = [];
	const tell = { alert: (text: string) => void alerts.push(text), log: (text: string) => void logs.push(text) };
	const shop = await openShop({ ...fresh, ...tell, ...options });
	const one = { ...fresh, alerts, logs, close: () => shop.close() };
	open.push(one);
	return one;
}

/** A visitor without scripts, unless told otherwise. */
async function visit(options: BrowserContextOptions = { javaScriptEnabled: false }): Promise<Page> {
	const context = await browser.newContext(options);
	open.push(context);
	return await context.newPage();
}

const ordersOf = async (shop: NewShop): Promise<{ ref: string; status: string; items: unknown }[]> =>
	(await shop.call("/api/v1/orders")).json.data.items;
const shownBy = async (shop: NewShop) => {
	const reply = await fetch(`${shop.address}/status.json`);
	const read = readShown(reply.status, await reply.text());
	if ("problem" in read) throw new Error(read.problem);
	return read.items;
};

describe.skipIf(!hasBrowser)("The storefront sells", () => {
	it("from the product to the parcel, which an event tells, without scripts", async () => {
		const shop = await openOne();
		const page = await visit();
		await page.goto(shop.address);
		await page.getByRole("link", { name: "Night cream" }).click();
		expect(await page.locator(".stock").textContent()).toBe("3 in stock");
		await putIntoCart(page, shop, "night-cream", 2);
		await pay(page);
		expect(await titleOf(page)).toBe("Thank you for your order");
		expect(await page.locator(".status").textContent()).toBe("Received");
		const ref = refOf(page);
		expect(await ordersOf(shop)).toMatchObject([{ ref, status: "placed", items: [{ sku: "SBX-LOW", qty: 2 }] }]);
		expect(await shop.payments()).toEqual(["paid"]);

		const shipped = await shop.call("/api/v1/sandbox/advance", { order_ref: ref, to: "shipped" });
		const tracking = shipped.json.data.shipments[0].tracking_number as string;
		expect(await untilSays(page, tracking)).toContain("Shipped");
		expect(await page.getByRole("button", { name: "Cancel the order" }).count()).toBe(0);
		const { endpoint_id } = (await shop.call("/api/v1/webhook-endpoints")).json.data.items[0];
		const deliveries = await until("the delivery to be noted", async () => {
			const { items } = (await shop.call(`/api/v1/webhook-endpoints/${endpoint_id}/deliveries`)).json.data;
			return items[0]?.status === "delivered" && items;
		});
		expect(deliveries).toMatchObject([{ type: "order.shipped", attempts: [{ status: 204 }] }]);
		expect(shop.logs).toEqual([`The shop is at ${shop.address}`]);
	});

	it("shows what is left after a sale, at once", async () => {
		const shop = await openOne();
		const page = await visit();
		await putIntoCart(page, shop, "night-cream", 2);
		await pay(page);
		await page.goto(`${shop.address}/products/night-cream`);
		await untilSays(page, "1 in stock");
	});

	it("an order that is put on hold, and one that is cancelled and paid back", async () => {
		const shop = await openOne();
		const page = await visit();
		await putIntoCart(page, shop, "hand-balm", 1);
		await pay(page);
		await shop.call("/api/v1/sandbox/advance", { order_ref: refOf(page), to: "held" });
		await untilSays(page, "On hold");
		await press(page, "Cancel the order");
		expect(await textOf(page)).toContain("Your payment was returned.");
		expect(await page.locator(".status").textContent()).toBe("Cancelled");
		expect(await shop.payments()).toEqual(["refunded"]);
		expect(await ordersOf(shop)).toMatchObject([{ status: "cancelled" }]);
	});

	it("an order that was picked meanwhile goes its way, and stays paid", async () => {
		const shop = await openOne();
		const page = await visit();
		await putIntoCart(page, shop, "glow-serum", 1);
		await pay(page);
		await shop.call("/api/v1/sandbox/advance", { order_ref: refOf(page), to: "picked" });
		await press(page, "Cancel the order");
		expect(await page.locator(".status").textContent()).toBe("Packed");
		expect(await shop.payments()).toEqual(["paid"]);
	});

	it("a declined card releases the hold, and another card may pay for the same cart", async () => {
		const shop = await openOne();
		const page = await visit();
		await putIntoCart(page, shop, "night-cream", 3);
		await pay(page, "declined");
		expect(await page.getByRole("alert").textContent()).toBe("Your card was declined. You were not charged.");
		const [cookie] = await page.context().cookies();
		const hold = async () => (await shop.call(`/api/v1/holds?external_ref=${cookie?.value}`)).json.data;
		expect(await hold()).toMatchObject({ status: "released" });
		expect(await ordersOf(shop)).toEqual([]);
		expect(await shop.payments()).toEqual(["declined"]);
		await pay(page);
		expect(await titleOf(page)).toBe("Thank you for your order");
		expect(await hold()).toMatchObject({ status: "placed" });
		expect(await shop.payments()).toEqual(["paid"]);
	});

	it("what is sold out meanwhile is said so, and nothing is charged", async () => {
		const shop = await openOne();
		const page = await visit();
		await putIntoCart(page, shop, "night-cream", 3);
		await shop.call("/api/v1/reserve", { items: [{ sku: "SBX-LOW", qty: 1 }], external_ref: "somebody-else" });
		await pay(page);
		expect(await page.getByRole("alert").textContent()).toBe(
			"Sold out: there is not enough left in stock. You were not charged.",
		);
		expect(await ordersOf(shop)).toEqual([]);
		expect(await shop.payments()).toEqual([]);
		await untilSays(page, "2 in stock");
		await page.goto(`${shop.address}/products/eye-gel`);
		expect(await page.locator(".stock").textContent()).toBe("Sold out");
		expect(await page.getByRole("button").count()).toBe(0);
	});

	it("a bank that does not answer is asked again, and charges once", async () => {
		const shop = await openOne({ everyMs: SOON_MS });
		const page = await visit();
		await putIntoCart(page, shop, "travel-set", 1);
		await pay(page, "too late");
		await untilSays(page, "Received");
		expect(await shop.payments()).toEqual(["paid"]);
		expect(await ordersOf(shop)).toMatchObject([{ ref: refOf(page), status: "placed" }]);
	});

	it("units that are gone after the payment are paid back", async () => {
		const shop = await openOne();
		const page = await visit();
		await putIntoCart(page, shop, "night-cream", 3);
		await pay(page, "too late");
		expect(await titleOf(page)).toBe("Your order is in progress");
		const hold = (await shop.call(`/api/v1/holds?external_ref=${refOf(page)}`)).json.data;
		expect(hold.status).toBe("active");
		await shop.call("/api/v1/sandbox/advance", { reservation_token: hold.reservation_token, to: "expired" });
		await shop.call("/api/v1/reserve", { items: [{ sku: "SBX-LOW", qty: 1 }], external_ref: "somebody-else" });
		await shop.close();
		const again = await openShop({ ...shop, alert: () => undefined, log: () => undefined });
		open.push(again);
		await page.reload();
		expect(await titleOf(page)).toBe("Your order could not be placed");
		expect(await textOf(page)).toContain("Your payment was returned.");
		expect(await shop.payments()).toEqual(["refunded"]);
		expect(await ordersOf(shop)).toEqual([]);
	});

	it("two clicks make one order", async () => {
		const shop = await openOne();
		const page = await visit();
		await putIntoCart(page, shop, "night-cream", 1);
		const [cookie] = await page.context().cookies();
		const form = new URLSearchParams({ ...FIELDS, card: "good" });
		const click = () =>
			fetch(`${shop.address}/checkout`, {
				method: "POST",
				body: form,
				headers: { cookie: `cart=${cookie?.value}` },
				redirect: "manual",
			});
		const replies = await Promise.all([click(), click(), click()]);
		expect(replies.map(({ headers }) => headers.get("location"))).toEqual(Array(3).fill(`/orders/${cookie?.value}`));
		expect(await ordersOf(shop)).toHaveLength(1);
		expect(await shop.payments()).toEqual(["paid"]);
	});

	it("where events cannot arrive it says what to do, and reads the orders", async () => {
		const shop = await openOne({ everyMs: SOON_MS, shopUrl: "http://10.0.0.1:3000" });
		expect(shop.logs.join("\n")).toContain("HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8 npm start");
		const page = await visit();
		await putIntoCart(page, shop, "glow-serum", 1);
		await pay(page);
		await shop.call("/api/v1/sandbox/advance", { order_ref: refOf(page), to: "shipped" });
		expect(await untilSays(page, "Shipped")).toContain("Parcel");
		expect(shop.logs).toHaveLength(2);
	});
});

describe.skipIf(!hasBrowser)("The storefront shows", () => {
	it("in /status.json what go-live looks for: the service's counts and certificates", async () => {
		const shop = await openOne();
		const feed = await fetch(`${shop.coaUrl}/api/partner/v1/coa`, {
			headers: { authorization: `Bearer ${shop.token}` },
		}).then((reply) => reply.json() as Promise<{ data: { items: Certified[] } }>);
		const expected = await Promise.all(
			SKUS.map(async (sku) => ({
				sku,
				shownQty: (await shop.call(`/api/v1/inventory?sku=${sku}`)).json.data.totals.atp as number,
				hidden: false,
				coaUrl: feed.data.items.find(({ product }) => product.slug === sku.toLowerCase())?.certificate_url ?? null,
			})),
		);
		expect(expected.map(({ coaUrl }) => coaUrl)).not.toContain(null);
		expect(await shownBy(shop)).toEqual(expected);
		const page = await visit();
		for (const [index, product] of ["glow-serum", "night-cream", "travel-set", "eye-gel"].entries()) {
			await page.goto(`${shop.address}/products/${product}`);
			const { shownQty, coaUrl } = expected[index] ?? {};
			expect(await page.locator(".stock").textContent()).toBe(shownQty === 0 ? "Sold out" : `${shownQty} in stock`);
			expect(await page.getByRole("link", { name: "(PDF)" }).getAttribute("href")).toBe(coaUrl);
		}
	});

	it("in a go-live run equal numbers and right links, and orders from the hold to the parcel", async () => {
		const shop = await openOne();
		const page = await visit();
		const run = await street.startGoLive(shop.pk, `${shop.address}/status.json`);
		const look = await until("a look", async () => (await run()).last_look as Look | null);
		expect(look).toMatchObject({ source: "address", problem: null });
		expect(look.items.map(({ sku, shown_qty, atp_qty }) => [sku, shown_qty === atp_qty])).toEqual(
			SKUS.map((sku) => [sku, true]),
		);
		await putIntoCart(page, shop, "glow-serum", 1);
		await pay(page);
		await shop.call("/api/v1/sandbox/advance", { order_ref: refOf(page), to: "shipped" });
		await untilSays(page, "Parcel");
		await shop.call(`/api/v1/orders/${refOf(page)}`);
		await putIntoCart(page, shop, "night-cream", 1);
		await pay(page);
		await press(page, "Cancel the order");
		const said = await until("the orders to be judged", async () => {
			const checks = (await run()).checks as { check: string; verdict: string; says: string }[];
			const verdicts = Object.fromEntries(checks.map(({ check, ...said }) => [check, said]));
			return verdicts.orders?.verdict === "passed" ? verdicts : null;
		});
		expect(said.coa_shown?.says).toContain("All links are right");
		expect(said.mirror_equal?.says).toContain("was equal in 1 look");
		expect(said.rate?.verdict).not.toBe("failed");
	});

	it("no number, no zero and no certificate while the key is refused, alerts, and recovers by itself", async () => {
		const shop = await openOne({ everyMs: SOON_MS });
		const page = await visit();
		await putIntoCart(page, shop, "night-cream", 1);
		await transaction(street.house.db, (tx) => suspendKey(tx, shop.pk));
		await page.goto(`${shop.address}/products/night-cream`);
		const hidden = await untilSays(page, "At the moment we cannot say whether this is in stock.");
		expect(hidden).toContain("At the moment we cannot show certificates.");
		expect(hidden).not.toMatch(/\d in stock|Sold out|PDF/);
		expect(await page.getByRole("button").count()).toBe(0);
		await page.goto(shop.address);
		expect(await textOf(page)).not.toMatch(/\d in stock|Sold out/);
		await page.goto(`${shop.address}/cart`);
		expect(await textOf(page)).toContain("At the moment we cannot take orders");
		expect(await shownBy(shop)).toEqual(SKUS.map((sku) => ({ sku, shownQty: null, hidden: true, coaUrl: null })));
		const alerts = shop.alerts.map((text) => text.split(" ").slice(0, 3).join(" ")).toSorted();
		expect(alerts).toEqual(["ALERT: certificates unauthorized", "ALERT: inventory unauthorized"]);

		await transaction(street.house.db, (tx) => resumeKey(tx, shop.pk));
		await page.goto(`${shop.address}/products/night-cream`);
		await untilSays(page, "3 in stock");
		await untilSays(page, "(PDF)");
		expect(shop.alerts.filter((text) => text.includes("recovered"))).toHaveLength(2);
	});

	it("everything hidden at once when a checkout is the first to be refused, and charges nothing", async () => {
		const shop = await openOne();
		const page = await visit();
		await putIntoCart(page, shop, "night-cream", 1);
		await transaction(street.house.db, (tx) => suspendKey(tx, shop.pk));
		await until("the key to be refused", async () => (await shop.call("/api/v1/products")).status === 401);
		await pay(page);
		expect(await page.getByRole("alert").textContent()).toBe("The order could not be placed. You were not charged.");
		await untilSays(page, "At the moment we cannot take orders");
		expect((await shownBy(shop)).every(({ hidden, shownQty }) => hidden && shownQty === null)).toBe(true);
		expect(shop.alerts).toHaveLength(2);
		expect(await shop.payments()).toEqual([]);
	});

	it.each([
		["light", 1100],
		["dark", 390],
	] as const)("no page that axe-core complains about: %s, %i pixels wide", async (colorScheme, width) => {
		const shop = await openOne({ everyMs: SOON_MS });
		const page = await visit({ colorScheme, viewport: { width, height: 800 } });
		const complaints: string[] = [];
		page.on("console", (message) => void complaints.push(message.text()));
		const look = async (): Promise<void> => {
			complaints.push(...(await violations(page)));
			if (await isWiderThanItsWindow(page)) complaints.push(`${page.url()} is wider than its window`);
		};
		const at = async (path: string): Promise<void> => {
			await page.goto(shop.address + path);
			await look();
		};
		for (const path of ["/", "/products/glow-serum", "/products/eye-gel", "/cart"]) await at(path);
		await putIntoCart(page, shop, "night-cream", 2);
		await pay(page, "declined");
		await look();
		await pay(page);
		await look();
		await shop.call("/api/v1/sandbox/advance", { order_ref: refOf(page), to: "shipped" });
		await untilSays(page, "Parcel");
		await look();
		await putIntoCart(page, shop, "night-cream", 1);
		await transaction(street.house.db, (tx) => suspendKey(tx, shop.pk));
		await untilSays(page, "At the moment we cannot take orders");
		await look();
		for (const path of ["/", "/products/night-cream"]) await at(path);
		expect(complaints).toEqual([]);
	});

	it("nothing of what a visitor makes up", async () => {
		const shop = await openOne();
		const post = (path: string, form: Record<string, string>, cart = "__proto__") =>
			fetch(shop.address + path, {
				method: "POST",
				body: new URLSearchParams(form),
				headers: { cookie: `cart=${cart}` },
				redirect: "manual",
			});
		expect((await fetch(`${shop.address}/orders/constructor`)).status).toBe(404);
		expect((await fetch(`${shop.address}/products/nothing`)).status).toBe(404);
		expect((await post("/cart", { product: "glow-serum", qty: "-1" })).status).toBe(404);
		expect((await post("/cart", { product: "glow-serum", qty: "1e9" })).status).toBe(404);
		expect((await post("/hooks/holdfast", {})).status).toBe(400);
		const filled = await post("/cart", { product: "glow-serum", qty: "1" });
		const cart = /cart=([^;]+)/.exec(filled.headers.get("set-cookie") ?? "")?.[1] ?? "";
		const incomplete = { ...FIELDS, city: " ", card: "good" };
		expect((await post("/checkout", incomplete, cart)).status).toBe(422);
		expect((await post("/checkout", { ...FIELDS, card: "stolen" }, cart)).status).toBe(422);
		const markup = { ...FIELDS, name: "<script>alert(1)</script>", card: "good" };
		const ordered = await post("/checkout", markup, cart);
		const page = await fetch(shop.address + ordered.headers.get("location"));
		expect(await page.text()).not.toContain("<script");
		expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
		expect(await shop.payments()).toEqual(["paid"]);
	});
});

interface Certified {
	readonly product: { readonly slug: string };
	readonly certificate_url: string;
}

interface Look {
	readonly items: readonly { readonly sku: string; readonly shown_qty: number; readonly atp_qty: number }[];
}
