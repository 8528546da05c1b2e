import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { GetOperatorHold, ListHolds, ReleaseHold, ShipConsume } from "../../src/inventory/holds/admin-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;
let key: { readonly token: string; readonly pk: string };
let lot: string;

beforeAll(async () => {
	house = await openHouse();
	const { lots } = await house.stock({ ONE: 20, TWO: 10 });
	lot = must(lots[0]?.fg_id, "a lot");
	key = await house.mint({
		scopes: ["atp.reserve", "atp.release", "atp.consume", "atp.inventory"],
	});
});
afterAll(() => house.close());

const reserve = async (external_ref: string, sku = "ONE"): Promise<string> => {
	const body = { items: [{ sku, qty: 2 }], external_ref };
	return (await house.call(key.token, "/api/v1/reserve", { body })).json.data.reservation_token;
};
const find = async (query: string): Promise<string[]> =>
	(await operate(house, ListHolds, { query })).json.data.items.map(
		({ external_ref }: { external_ref: string }) => external_ref,
	);
const available = async (): Promise<number> => {
	const { rows } = await house.db.query<{ available: number }>("select available from lot where fg_id = $1", [lot]);
	return must(rows[0], "the lot").available;
};

describe("Operators", () => {
	it("list the holds of every partner by key, status, SKU, lot and reference, page by page", async () => {
		for (const ref of ["a", "b", "c"]) await reserve(ref);
		await reserve("d", "TWO");
		expect(await find("")).toEqual(["d", "c", "b", "a"]);
		expect(await find(`?key=${key.pk}&status=active`)).toEqual(["d", "c", "b", "a"]);
		expect(await find("?status=released")).toEqual([]);
		expect(await find("?impaired=true")).toEqual([]);
		expect(await find("?sku=TWO")).toEqual(["d"]);
		expect(await find(`?lot=${lot}`)).toEqual(["c", "b", "a"]);
		expect(await find("?external_ref=b")).toEqual(["b"]);
		const first = (await operate(house, ListHolds, { query: "?limit=3" })).json.data;
		expect(await find(`?limit=3&cursor=${first.next_cursor}`)).toEqual(["a"]);
		expect((await operate(house, ListHolds, { query: "?key=nobody" })).status).toBe(404);
		expect((await operate(house, ListHolds, { query: "?impaired=false" })).status).toBe(400);
	});

	it("release a hold: its units are free, its partner finds it ended, ledger and audit log name who did it", async () => {
		const token = await reserve("phone");
		const before = await available();
		const params = { token };
		const released = await operate(house, ReleaseHold, { params, body: { reason: "cancelled by phone" } });
		expect([released.status, released.json.data.status]).toEqual([200, "released"]);
		expect(await available()).toBe(before + 2);
		expect((await operate(house, GetOperatorHold, { params })).json.data.ended_at).not.toBeNull();
		const consume = { reservation_token: token, external_ref: "late" };
		expect((await house.call(key.token, "/api/v1/consume", { body: consume })).json.error.code).toBe("wrong_state");
		const { rows } = await house.db.query<{ actor: string }>(
			"select distinct a.actor from audit_log a join unit_move m on m.actor = a.actor where a.about = $1",
			[token],
		);
		expect(rows).toHaveLength(1);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("are answered with what is when it is released already, and 409 when it is over in another way", async () => {
		const token = await reserve("twice");
		const count = async () =>
			(await house.db.query<{ n: number }>("select count(*)::int as n from audit_log")).rows[0]?.n;
		await operate(house, ReleaseHold, { params: { token }, body: {} });
		const rows = await count();
		expect((await operate(house, ReleaseHold, { params: { token }, body: {} })).status).toBe(200);
		expect(await count()).toBe(rows);
		const sold = await reserve("sold");
		await house.call(key.token, "/api/v1/consume", { body: { reservation_token: sold, external_ref: "sold" } });
		const late = await operate(house, ReleaseHold, { params: { token: sold }, body: {} });
		expect([late.status, late.json.error.code]).toEqual([409, "not_possible_now"]);
		expect((await operate(house, ReleaseHold, { params: { token: newId() }, body: {} })).status).toBe(404);
	});

	it("record once that what a partner consumed was shipped, and are told what was never consumed or was given back", async () => {
		const consume = async (ref: string) => {
			const body = { reservation_token: await reserve(`of-${ref}`), external_ref: ref };
			expect((await house.call(key.token, "/api/v1/consume", { body })).status).toBe(200);
		};
		const report = (external_ref: string, of = key.pk) =>
			operate(house, ShipConsume, { body: { key: of, external_ref, reason: "It left on Monday." } });
		const count = () => auditRows(house);
		await consume("sale");
		const rows = await count();
		const first = await report("sale");
		expect([first.status, first.json.data]).toMatchObject([
			200,
			{ external_ref: "sale", shipped_units: 2, idempotent: false },
		]);
		expect(await count()).toBe(rows + 1);
		const { rows: moved } = await house.db.query(
			"select distinct a.operation from audit_log a join unit_move m on m.actor = a.actor and m.cause = 'ship' where a.about = $1",
			[first.json.data.reservation_token],
		);
		expect(moved).toEqual([{ operation: "ship_consume" }]);
		expect((await report("sale")).json.data).toEqual({ ...first.json.data, idempotent: true });
		const reverse = { external_ref: "sale" };
		const late = await house.call(key.token, "/api/v1/consume/reverse", { body: reverse });
		expect(late.json.data ?? late.json.error).not.toMatchObject({ returned_units: 2 });
		expect(await count()).toBe(rows + 1);
		for (const [ref, of] of [
			["never", key.pk],
			["sale", "nobody"],
		] as const) {
			const { status, json } = await report(ref, of);
			expect([status, json.error.code]).toEqual([404, "not_found"]);
		}
		await consume("back");
		await house.call(key.token, "/api/v1/consume/reverse", { body: { external_ref: "back" } });
		const back = await report("back");
		expect([back.status, back.json.error.code]).toEqual([409, "not_possible_now"]);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("and a partner at the same moment: the units are free once", async () => {
		const before = await available();
		for (let n = 0; n < 10; n++) {
			const token = await reserve(`race-${n}`);
			const [byOperator, byPartner] = await Promise.all([
				operate(house, ReleaseHold, { params: { token }, body: {} }),
				house.call(key.token, "/api/v1/release", { body: { reservation_token: token } }),
			]);
			expect([byOperator.status, byPartner.status]).toEqual([200, 200]);
		}
		expect(await available()).toBe(before);
	});
});
