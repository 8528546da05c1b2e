import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { ListSandboxRequests } from "../../src/upkeep/traffic/contract.ts";
import { until } from "../processes/child.ts";
import { openSandboxWorld } from "./sandbox-world.ts";
import type { World } from "./world.ts";

let world: World;
let token: string;
let other: string;

beforeAll(async () => {
	world = await openSandboxWorld();
	const partner = world.partner();
	({ token } = await world.key({ brand: "SANDBOX", partner }));
	({ token: other } = await world.key({ brand: "SANDBOX", partner })); // which shares the units
});
afterAll(() => world.stop());

const list = (query: Record<string, unknown>, key = token) => world.call(ListSandboxRequests, key, query);
const logged = (request_id: string, key = token) =>
	until("the request to be logged", async () => (await list({ request_id }, key)).data.items[0]);

describe("A partner reads the requests of its sandbox key", () => {
	it("with both bodies, and why one was refused, but not who else holds the units", async () => {
		const holder = await world.call(Reserve, other, { items: [{ sku: "SBX-LOW", qty: 2 }] });
		expect(holder.status).toBe(201);
		const refused = await world.call(Reserve, token, { items: [{ sku: "SBX-LOW", qty: 2 }], external_ref: "cart-1" });
		expect(refused.status).toBe(409);
		const request = await logged(must(refused.header("x-request-id"), "an id"));
		expect(request).toMatchObject({
			operation: "reserve",
			status: 409,
			code: "no_inventory",
			body: '{"items":[{"sku":"SBX-LOW","qty":2}],"external_ref":"cart-1"}',
			reply: refused.text,
			about: ["cart-1"],
		});
		expect(request.explanation.join(" ")).toMatch(/1 of "SBX-LOW" could be promised; asked for: 2/);
		expect(JSON.stringify(request)).not.toMatch(/in holds/);
		expect(JSON.stringify(request)).not.toContain(other.split(":")[0]);
	});

	it("and never one of another key, whichever way it asks", async () => {
		const theirs = await world.call(Check, other, { items: [{ sku: "SBX-PLENTY", qty: 1 }] });
		const id = must(theirs.header("x-request-id"), "an id");
		await logged(id, other);
		expect((await list({ request_id: id })).data).toMatchObject({ items: [], next_cursor: null, has_more: false });
		const all = (await list({ limit: 500 })).data.items.map(({ request_id }) => request_id);
		expect(all).not.toContain(id);
	});

	it("page by page, filtered by operation, status and code", async () => {
		const asked = [1, 2, 3].map(() => world.call(Check, token, { items: [{ sku: "SBX-PLENTY", qty: 1 }] }));
		for (const answer of await Promise.all(asked)) await logged(must(answer.header("x-request-id"), "an id"));
		for (const filter of [{ operation: "check" }, { status: 200, operation: "check" }, { code: "no_inventory" }]) {
			const whole = (await list({ ...filter, limit: 500 })).data.items;
			expect(whole.length).toBeGreaterThan(0);
			const seen: string[] = [];
			for (let cursor: string | null | undefined; cursor !== null; ) {
				const page = await list({ ...filter, limit: 1, ...(cursor === undefined ? {} : { cursor }) });
				seen.push(...page.data.items.map(({ request_id }) => request_id));
				cursor = page.data.next_cursor;
				expect(page.data.has_more).toBe(cursor !== null);
				expect(Date.parse(page.data.as_of)).toBeGreaterThan(0);
			}
			expect(seen.slice(0, whole.length)).toEqual(whole.map(({ request_id }) => request_id));
		}
	});

	it("with a cursor that is good for the same filters and the same key alone, and 304 for what it has", async () => {
		const filter = { operation: "check", limit: 1 };
		const page = await list(filter);
		const cursor = must(page.data.next_cursor, "a cursor");
		expect((await list({ ...filter, cursor })).status).toBe(200);
		for (const [query, key] of [
			[{ limit: 1, cursor }, token],
			[{ ...filter, status: 200, cursor }, token],
			[{ ...filter, cursor }, other],
			[{ ...filter, cursor: `${cursor.slice(0, -1)}x` }, token],
		] as const) {
			expect((await list(query, key)).verdict).toBe("400 invalid_input");
		}
		const none = { code: "expired" };
		const etag = must((await list(none)).header("etag"), "an ETag");
		const address = `http://127.0.0.1:${world.port}/api/v1/sandbox/requests?code=expired`;
		const again = { authorization: `Bearer ${token}`, "if-none-match": etag };
		expect((await fetch(address, { headers: again })).status).toBe(304);
		expect((await fetch(address, { method: "HEAD", headers: again })).status).toBe(304);
	});

	it("and a live key finds nothing there", async () => {
		const live = await world.key();
		expect((await list({}, live.token)).verdict).toBe("403 forbidden");
		expect((await list({ cursor: "x" })).verdict).toBe("400 invalid_input");
	});
});
