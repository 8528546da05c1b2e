import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { HoldOrder } from "../../src/inventory/orders/admin-contract.ts";
import { insertRun } from "../../src/partners/runs/sql.ts";
import { MOST_COUNTED, MOST_SHOWN } from "../../src/upkeep/console/limits.ts";
import { GetOverview } from "../../src/upkeep/console/overview-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { holdfast } from "../processes/holdfast.ts";
import { placeOrder } from "./placed.ts";

let house: House;
let key: { readonly token: string; readonly pk: string };
let lot: string;

beforeAll(async () => {
	house = await openHouse();
	lot = must((await house.stock({ ONE: 100 })).lots[0]?.fg_id, "a lot");
	key = await house.mint({ scopes: ["atp.reserve", "atp.orders"] });
});
afterAll(() => house.close());

const read = async () => {
	const { status, json } = await operate(house, GetOverview);
	expect(status).toBe(200);
	return json.data;
};
const NONE = { n: 0, more: false };
const addExceptions = (kind: string, n: number) =>
	house.db.query(
		`insert into demand_exception (reference, kind, subject, promised_kits, shipped_kits, missing_units)
		 select $1 || n, $1, 'x', 1, 0, 0 from generate_series(1, $2) n`,
		[kind, n],
	);

describe("The overview", () => {
	it("of a day on which nothing is wrong has no figure above 0", async () => {
		const { as_of: asOf, ...figures } = await read();
		expect(new Date(asOf).getTime()).not.toBeNaN();
		expect(figures).toEqual({
			exceptions: { ...NONE, by_kind: [] },
			boxes_to_ship: { ...NONE, by_age: [] },
			held_orders: { ...NONE, by_reason: [], items: [] },
			ending_lots: { ...NONE, items: [] },
			failing_endpoints: { ...NONE, items: [] },
			ending_keys: { ...NONE, items: [] },
			runs: { ...NONE, items: [] },
		});
		const shown = await holdfast(["overview"], { HOLDFAST_ADMIN_SOCKET: house.socket });
		expect([shown.code, shown.out.match(/orders on hold +0/)?.length]).toEqual([0, 1]);
	});

	it("counts boxes to ship by age, and names orders on hold with what they lack", async () => {
		for (const ref of ["a", "b", "c"]) await placeOrder(house, key.token, ref, { qty: 2 });
		await house.db.query(
			`update shipment set created_at = created_at - interval '5 days'
			  where order_ids = (select array[order_id] from orders where ref = 'a')`,
		);
		const before = (await read()).boxes_to_ship;
		expect(before).toEqual({
			n: 3,
			more: false,
			by_age: [
				{ days: 0, n: 2 },
				{ days: 3, n: 1 },
			],
		});
		await operate(house, HoldOrder, { params: { id: "b" }, body: { reason: "address_invalid", detail: "no street" } });
		const { held_orders: held, boxes_to_ship: boxes } = await read();
		expect(held).toMatchObject({
			n: 1,
			more: false,
			by_reason: [{ reason: "address_invalid", n: 1 }],
			items: [{ ref: "b", detail: "no street", lacking_units: 0, could_be_released: true }],
		});
		expect(boxes.n).toBe(2);
		const token = (await house.db.query<{ t: string }>("select reservation_token as t from orders where ref = 'b'"))
			.rows[0]?.t;
		await house.db.query("update hold_part set own_state = 'displaced' where reservation_token = $1", [token]);
		expect((await read()).held_orders.items).toMatchObject([{ ref: "b", lacking_units: 2, could_be_released: true }]);
		await house.db.query("update hold_part set own_state = null where reservation_token = $1", [token]);
	});

	it("names lots whose days end with the partners that have units of them", async () => {
		await house.call(key.token, "/api/v1/reserve", { body: { items: [{ sku: "ONE", qty: 5 }] } });
		expect((await read()).ending_lots.n).toBe(0);
		await house.db.query("update lot set expires_on = (now() at time zone 'UTC')::date + 3 where fg_id = $1", [lot]);
		const [soon] = (await read()).ending_lots.items;
		expect(soon).toMatchObject({ fg_id: lot, in_date: true, held: 5, allocated: 6, available: 89, unnamed_units: 0 });
		expect(soon.holders).toEqual([{ partner: expect.any(String), holds: 1, orders: 3, units: 11 }]);
		await house.db.query("update lot set expires_on = (now() at time zone 'UTC')::date - 1 where fg_id = $1", [lot]);
		expect((await read()).ending_lots).toMatchObject({ n: 1, items: [{ fg_id: lot, in_date: false }] });
	});

	it("names failing endpoints, keys that end, and runs that are under way, and none that are not", async () => {
		const endpoint = (status: string, reason: string | null, failing: boolean) =>
			house.db.query(
				`insert into webhook_endpoint (endpoint_id, partner_id, environment, url, event_types, status, inactive_reason, api_date, version, failing_since)
				 select $1, partner_id, 'live', 'https://shop.example/' || $2, '{order.shipped}', $2, $3, '2026-09-06',
				        take_numbers('webhook_endpoint_epoch', 1), case when $4 then now() end from partner limit 1`,
				[newId(), status, reason, failing],
			);
		await endpoint("active", null, false);
		await endpoint("active", null, true);
		await endpoint("inactive", "gone", true);
		await endpoint("inactive", "partner", true);
		const { failing_endpoints: endpoints } = await read();
		expect([endpoints.n, endpoints.items.map(({ active }: { active: boolean }) => active).toSorted()]).toEqual([
			2,
			[false, true],
		]);
		await house.db.query("update api_key set expires_at = now() + interval '5 days' where pk = $1", [key.pk]);
		await house.mint({ name: "later", expiresAt: new Date("2099-01-01") } as object);
		const run = { runId: newId(), operation: "release_hold", actor: "operator:test", requestId: "req_1" } as const;
		for (const [runId, isEnd] of [
			[run.runId, false],
			[newId(), true],
		] as const) {
			const step = { state: {}, done: 3, of: 9, result: null, isEnd };
			await transaction(house.db, (tx) => insertRun(tx, { ...run, runId, about: "it", step }));
		}
		const { ending_keys: keys, runs } = await read();
		expect(keys).toMatchObject({ n: 1, items: [{ pk: key.pk }] });
		expect(runs).toMatchObject({ n: 1, items: [{ run_id: run.runId, done: 3, of: 9 }] });
	});

	it("ends its counts at 1,000 and its lists at 20, and says that there are more", async () => {
		await addExceptions("unknown_sku", 3);
		await addExceptions("unknown_store", 2);
		expect((await read()).exceptions).toMatchObject({
			n: 5,
			more: false,
			by_kind: [
				{ kind: "unknown_sku", n: 3, oldest_at: expect.any(String) },
				{ kind: "unknown_store", n: 2 },
			],
		});
		await addExceptions("no_recipe", MOST_COUNTED);
		expect((await read()).exceptions).toMatchObject({ n: MOST_COUNTED, more: true });
		for (let n = 0; n < MOST_SHOWN + 2; n++) {
			const step = { state: {}, done: 0, of: null, result: null, isEnd: false };
			const run = { operation: "release_hold", about: `run ${n}`, actor: "operator:test", requestId: "req_1" } as const;
			await transaction(house.db, (tx) => insertRun(tx, { ...run, runId: newId(), step }));
		}
		const { runs } = await read();
		expect([runs.n, runs.items.length]).toEqual([MOST_SHOWN + 3, MOST_SHOWN]);
	});

	it("is printed by the command, bare with --json", async () => {
		const env = { HOLDFAST_ADMIN_SOCKET: house.socket };
		const { as_of: _asOf, ...expected } = await read();
		const { json, code } = await holdfast(["overview", "--json"], env);
		const { as_of: _then, ...printed } = json;
		expect([code, printed]).toEqual([0, expected]);
		const { out } = await holdfast(["overview"], env);
		expect(out).toMatch(/open exceptions +more than 1,000/);
		expect(out).toMatch(/boxes to ship +2 +1 of today, 1 of 3 days or more/);
		expect(out).toContain(`Runs in progress (${MOST_SHOWN} of ${MOST_SHOWN + 3}):`);
		for (const shown of [lot, key.pk, "address_invalid"]) expect(out).toContain(shown);
	});
});
