import { afterAll, beforeAll, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { ExplainCount } from "../../src/upkeep/ledger/admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;
let pk: string;

beforeAll(async () => {
	house = await openHouse();
	await house.stock({ ONE: 100 });
	const { token } = await house.mint({ name: "web", scopes: ["atp.reserve", "atp.inventory"] });
	pk = must(token.split(":")[0], "its public half");
	const body = { items: [{ sku: "ONE", qty: 30 }], external_ref: "cart-1" };
	expect((await house.call(token, "/api/v1/reserve", { body })).status).toBe(201);
});
afterAll(() => house.close());

const explained = (sku: string, query = "") => operate(house, ExplainCount, { params: { sku }, query });

it("A count is explained by pool, lot and hold, and a read leaves no row in the audit log", async () => {
	const before = await auditRows(house);
	const { status, json } = await explained("ONE");
	expect(status).toBe(200);
	expect(json.data).toMatchObject({ sku: "ONE", key: null, counts: { available_qty: 70, atp_qty: 70 } });
	const lots = json.data.components[0].pools.flatMap(({ lots: all }: { lots: object[] }) => all);
	expect(lots).toMatchObject([
		{ received: 100, held: 30, counts: 70, holds: [{ external_ref: "cart-1", key: pk, units: 30, lapsed: false }] },
	]);
	expect(await auditRows(house)).toBe(before);
});

it("A count is explained as a key sees it, by its name or its public half", async () => {
	for (const key of ["web", pk])
		expect((await explained("ONE", `?key=${key}`)).json.data).toMatchObject({ key: pk, counts: { atp_qty: 70 } });
});

it("A count of the sandbox is explained in a key's own sandbox, and without a key in every one", async () => {
	const sandbox = { environment: "sandbox", brandCode: "SANDBOX", sharedPool: false } as const;
	await house.mint({ ...sandbox, name: "test one" });
	await house.mint({ ...sandbox, name: "test two" });
	const of = async (query: string) => (await explained("SBX-LOW", query)).json.data;
	expect(await of("?key=test%20one")).toMatchObject({ pools: ["SANDBOX"], counts: { atp_qty: 3 } });
	expect(await of("?key=test%20two&brand_code=SANDBOX")).toMatchObject({ pools: ["SANDBOX"], counts: { atp_qty: 3 } });
	for (const query of ["", "?brand_code=SANDBOX"]) {
		const all = await of(query); // the model has no units of the test SKUs
		expect(all).toMatchObject({ pools: ["SANDBOX", "SANDBOX", "SANDBOX"], counts: { atp_qty: 6 } });
	}
});

it("A count is explained as it was at a past time, in whatever zone that is given", async () => {
	// the next whole millisecond, because times of the API have no more digits
	const { rows } = await house.db.query<{ at: Date }>(
		`select date_trunc('milliseconds', min(at)) + interval '1 ms' as at
		   from unit_move join lot using (fg_id) join formula f using (formula_id) where f.code = 'F-ONE'`,
	);
	const at = must(rows[0], "the receipt").at;
	const past = await explained("ONE", `?at=${at.toISOString()}`);
	expect(past.json.data).toMatchObject({ at: at.toISOString(), counts: { available_qty: 100 } });
	expect((await explained("ONE", "?at=2020-01-01T01:00:00%2B01:00")).json.data).toMatchObject({
		at: "2020-01-01T00:00:00.000Z",
		counts: { available_qty: 0 },
	});
});

it.each([
	["an unknown SKU", "NOPE", "", 404, "not_found"],
	["a SKU that is misspelt", "one", "", 404, "not_found"],
	["an unknown key", "ONE", "?key=nobody", 404, "not_found"],
	["a time that is none", "ONE", "?at=yesterday", 400, "invalid_input"],
	["a time to come", "ONE", "?at=2999-01-01T00:00:00Z", 400, "invalid_input"],
	["an unknown parameter", "ONE", "?brand=ACME", 400, "invalid_input"],
] as const)("%s is refused", async (_what, sku, query, status, code) => {
	const refused = await explained(sku, query);
	expect([refused.status, refused.json.error.code]).toEqual([status, code]);
});

it("A brand that does not exist is refused as partners see it refused", async () => {
	expect((await explained("ONE", "?brand_code=NOPE")).json.error.code).toBe("unknown_brand_code");
});
