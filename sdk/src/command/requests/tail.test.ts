import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openSandboxWorld } from "../../../../service/test/contract/sandbox-world.ts";
import type { World } from "../../../../service/test/contract/world.ts";
import { killAll, until } from "../../../../service/test/processes/child.ts";
import { Holdfast } from "../../client/holdfast.ts";
import { partner, startPartner } from "../run-for-tests.ts";

let world: World;
let holdfast: Holdfast;
let env: Record<string, string>;

beforeAll(async () => {
	world = await openSandboxWorld();
	const { token } = await world.key({ brand: "SANDBOX", requestsPerMinute: 6_000 }); // `until` polls often
	env = { HOLDFAST_URL: `http://127.0.0.1:${world.port}`, HOLDFAST_TOKEN: token };
	holdfast = new Holdfast({ baseUrl: `http://127.0.0.1:${world.port}`, token, maxRetries: 0 });
	await holdfast.check([{ sku: "SBX-LOW", qty: 1 }]);
	await holdfast.reserve({ items: [{ sku: "SBX-OUT", qty: 2 }], externalRef: "cart-9" }).catch(() => undefined);
	await until(
		"the log",
		async () => (await holdfast.raw.sandbox.requests({ operation: "reserve" })).data.items.length === 1,
	);
});
afterEach(killAll);
afterAll(() => world.stop());

describe("requests tail", () => {
	it("--once prints what was sent, the oldest first, without its own reads", async () => {
		const { code, out } = await partner(["requests", "tail", "--once"], { env });
		expect(code).toBe(0);
		const [first, second, ...more] = out.trimEnd().split("\n");
		expect(first).toMatch(/^\S+Z 200 POST \/api\/v1\/check in [\d.]+ ms, req_\w+$/);
		expect(second).toMatch(/^\S+Z 409 no_inventory POST \/api\/v1\/reserve in [\d.]+ ms, req_\w+: ./);
		expect(more).toEqual([]);
	});

	it("prints a line of JSON for each, and only what is asked for", async () => {
		const options = ["--once", "--json", "--code", "no_inventory", "--status", "409", "--operation", "reserve"];
		const { code, json } = await partner(["requests", "tail", ...options], { env });
		expect(code).toBe(0);
		expect(json).toMatchObject({ operation: "reserve", status: 409, code: "no_inventory" });
		expect(JSON.parse(json.body)).toMatchObject({ external_ref: "cart-9" });
	});

	it("shows one request with both bodies, and why it was refused", async () => {
		const [one] = (await holdfast.raw.sandbox.requests({ code: "no_inventory" })).data.items;
		const { code, out } = await partner(["requests", "tail", "--request-id", one?.requestId ?? ""], { env });
		expect(code).toBe(0);
		expect(out).toMatch(
			/409 no_inventory[\s\S]*\n {2}\S.*SBX-OUT[\s\S]*\nSent:\n\{.*"cart-9".*\}\n\nAnswered:\n\{.*"no_inventory".*\}/,
		);
		const none = await partner(["requests", "tail", "--request-id", "req_none", "--json"], { env });
		expect(none).toMatchObject({ code: 1, json: { error: { code: "not_found" } } });
	});

	it("follows: what comes later is printed once, until it is told to end", async () => {
		const child = startPartner(["requests", "tail", "--every", "1"], { env });
		await until("the first ones", () => child.lines.length === 2);
		await holdfast.inventory.get({ sku: "SBX-LOW" });
		await until("the next one", () => child.lines.length === 3);
		await holdfast.inventory.get({ sku: "NO-SUCH" }).catch(() => undefined);
		await until("the one after", () => child.lines.length === 4);
		expect(child.lines.slice(2)).toEqual([
			expect.stringContaining(" 200 GET /api/v1/inventory?sku=SBX-LOW"),
			expect.stringContaining(" 404 not_found GET /api/v1/inventory?sku=NO-SUCH"),
		]);
		expect(await child.stop()).toBe(0);
		expect(child.lines).toHaveLength(4);
	});

	it("takes one request a read, however few earlier ones are asked for", async () => {
		const own = async (): Promise<number> =>
			(await holdfast.raw.sandbox.requests({ operation: "listSandboxRequests", limit: 500 })).data.items.length;
		const before = await own();
		const child = startPartner(["requests", "tail", "--limit", "1", "--every", "1"], { env });
		await new Promise((resolve) => setTimeout(resolve, 6_000));
		await child.stop();
		const reads = (await own()) - before - 1;
		expect(reads).toBeGreaterThan(2);
		expect(reads).toBeLessThan(10);
	});

	it("shows the Idempotency-Key of each request that has one", async () => {
		const { token } = await holdfast.reserve({ items: [{ sku: "SBX-PLENTY", qty: 1 }] });
		const customer = { name: "A", shipTo: { line1: "1 Way", city: "X", postalCode: "1", country: "DE" } };
		await holdfast.orders.place({ token, customer, idempotencyKey: "order-77" });
		const tailed = () => partner(["requests", "tail", "--once", "--operation", "placeOrder"], { env });
		const out = await until("the order", async () => {
			await sleep(250); // each look is a request, and the last command reads only so many
			return (await tailed()).out || null;
		});
		expect(out).toMatch(/ 201 POST \/api\/v1\/orders in [\d.]+ ms, req_\w+, Idempotency-Key order-77\n$/);
		expect((await partner(["requests", "tail", "--once"], { env })).out.match(/Idempotency-Key/g)).toHaveLength(1);
	});

	it("ends with 3 for a live key, and with 2 for a filter that is none", async () => {
		const { token } = await world.key();
		const live = await partner(["requests", "tail", "--once"], { env: { ...env, HOLDFAST_TOKEN: token } });
		expect(live).toMatchObject({ code: 3, err: expect.stringContaining("sandbox keys only") });
		expect(await partner(["requests", "tail", "--status", "ok"], { env })).toMatchObject({ code: 2 });
	});
});
