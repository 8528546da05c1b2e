import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openShop } from "./shop.ts";
import { type NewShop, openStreet, type Street } from "./shop-for-tests.ts";
import { FIELDS } from "./visitor-for-tests.ts";

/** What becomes of the money when Holdfast refuses the order of a cart that was paid for. */

let street: Street;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
	street = await openStreet();
}, 60_000);
afterEach(async () => {
	for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => street.close());

/**
 * Stands before the service, and answers the first `times` orders with this refusal. `lost`: number of reserves whose
 * replies are lost.
 */
async function openRefuser(to: string, [status, code, times]: Refusal, lost: number): Promise<string> {
	let left = times;
	let toLose = lost;
	const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const body = Buffer.concat(await request.toArray());
		const { method = "", url = "", headers } = request;
		if (method === "POST" && url === "/api/v1/orders" && left-- > 0) {
			const refusal = JSON.stringify({ error: { code, message: "Nothing was done." } });
			response.writeHead(status, { "retry-after": "0" }).end(refusal);
			return;
		}
		const { authorization = "", "content-type": type = "application/json", "idempotency-key": key } = headers;
		const given = { authorization, "content-type": type, ...(typeof key === "string" && { "idempotency-key": key }) };
		const reply = await fetch(to + url, { method, headers: given, ...(body.length > 0 && { body }) });
		if (url === "/api/v1/reserve" && toLose-- > 0) {
			response.destroy();
			return;
		}
		response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
	};
	const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closing.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Refusal = readonly [status: number, code: string, times: number];

async function buy(shop: NewShop, fields: object = {}): Promise<Response> {
	const post = (path: string, form: object, cookie: string) =>
		fetch(shop.address + path, {
			method: "POST",
			body: new URLSearchParams(Object.entries(form)),
			headers: { cookie },
			redirect: "manual",
		});
	const filled = await post("/cart", { product: "night-cream", qty: "2" }, "");
	const cookie = filled.headers.get("set-cookie")?.split(";")[0] ?? "";
	return await post("/checkout", { ...FIELDS, card: "good", ...fields }, cookie);
}

async function openOne(refusal: Refusal, everyMs = 240_000, lost = 0): Promise<NewShop> {
	const shop = await street.newShop();
	const url = await openRefuser(shop.url, refusal, lost);
	const opened = await openShop({ ...shop, url, everyMs, alert: () => undefined, log: () => undefined });
	closing.push(() => opened.close());
	return shop;
}

const ordersOf = async (shop: NewShop): Promise<unknown[]> => (await shop.call("/api/v1/orders")).json.data.items;

it.each<Refusal>([
	[422, "invalid_customer", 1],
	[409, "kit_incomplete", 1],
	[422, "unresolved_stack", 1],
	[403, "forbidden", 1],
	[401, "unauthorized", 1],
])("An order that is refused with %i %s after the payment is paid back, and its units are free", async (...refusal) => {
	const shop = await openOne(refusal);
	await buy(shop);
	expect([await shop.payments(), await ordersOf(shop)]).toEqual([["refunded"], []]);
	const { totals } = (await shop.call("/api/v1/inventory?sku=SBX-LOW")).json.data;
	expect(totals.atp).toBe(3);
});

it.each<Refusal>([
	[409, "retry", 3],
	[429, "rate_limited", 3],
])("An order that is refused with %i %s until no retry is left stays paid, and is placed later", async (...refusal) => {
	const shop = await openOne(refusal, 1_000);
	await buy(shop);
	await expect.poll(() => ordersOf(shop), { timeout: 15_000 }).toHaveLength(1);
	expect(await shop.payments()).toEqual(["paid"]);
});

it("An address that the order would be refused for is refused before the payment", async () => {
	const shop = await openOne([500, "", 0]);
	const reply = await buy(shop, { name: "x".repeat(201) });
	expect([reply.status, await shop.payments()]).toEqual([422, []]);
});

it("A cart whose units were held without a reply is not given back: it is bought later, once", async () => {
	const shop = await openOne([500, "", 0], 1_000, 3);
	await buy(shop);
	await expect.poll(() => ordersOf(shop), { timeout: 15_000 }).toHaveLength(1);
	expect(await shop.payments()).toEqual(["paid"]);
});
