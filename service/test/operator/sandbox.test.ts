import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { GetLot, ListLots } from "../../src/inventory/stock/admin-contract.ts";
import { ReceiveUnits } from "../../src/inventory/stock/lot-write-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { RestockOperatorSandbox, RestockPartnerSandbox } from "../../src/upkeep/sandbox/admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;

beforeAll(async () => {
	house = await openHouse();
});
afterAll(() => house.close());

const restock = (headers: Record<string, string> = {}) => operate(house, RestockOperatorSandbox, { headers });

describe("Operators restock the sandbox", () => {
	it("with the sample certificates that are missing; holds keep their units, ledger and audit log name who did it", async () => {
		const made = await restock();
		expect([made.status, made.json.data]).toMatchObject([200, { done: true, removed_units: 0 }]);
		expect(made.json.data.sample_certificates).toBeGreaterThan(1);
		const { rows: withdrawn } = await house.db.query(
			"select status from certificate where batch_number = 'SANDBOX-WITHDRAWN'",
		);
		expect(withdrawn).toEqual([{ status: "retired" }]);
		const { token } = await house.mint({ environment: "sandbox", brandCode: "SANDBOX", sharedPool: false });
		const reserve = () => house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "SBX-PLENTY", qty: 2 }] } });
		expect((await reserve()).status).toBe(201);
		const key = { "idempotency-key": "restock" };
		const again = await restock(key);
		expect(again.json.data).toEqual({ done: true, received_units: 2, removed_units: 0, sample_certificates: 0 });
		expect((await restock(key)).headers["idempotent-replayed"]).toBe("true");
		const { rows } = await house.db.query<{ units: number }>(
			`select m.units from unit_move m join audit_log a on a.actor = m.actor and a.request_id = m.request_id
			  where a.operation = 'restock_sandbox' and a.about = 'SANDBOX' order by m.seq desc limit 1`,
		);
		expect(rows).toEqual([{ units: 2 }]);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("of one partner alone, by its name or id", async () => {
		const sandbox = { environment: "sandbox", brandCode: "SANDBOX", sharedPool: false } as const;
		const [one, other] = ["Shop One", "Shop Two"] as const;
		const tokens = [await house.mint({ ...sandbox, partner: one }), await house.mint({ ...sandbox, partner: other })];
		for (const { token } of tokens) {
			const body = { items: [{ sku: "SBX-LOW", qty: 3 }] };
			expect((await house.call(token, "/api/v1/reserve", { body })).status).toBe(201);
		}
		const of = (partner_id: string) => operate(house, RestockPartnerSandbox, { params: { partner_id } });
		expect((await of(one)).json.data).toEqual({ done: true, received_units: 3, removed_units: 0 });
		const { rows } = await house.db.query<{ id: string; free: number }>(
			`select r.partner_id as id, l.available as free from lot l join pool using (pool_id) join partner r using (partner_id)
			  join formula f using (formula_id) where f.code = 'SBX-LOW' and r.name = any($1) order by r.name`,
			[[one, other]],
		);
		expect(rows.map(({ free }) => free)).toEqual([3, 0]);
		expect((await of(must(rows[1], "the other's").id)).json.data).toMatchObject({ received_units: 3 });
		expect((await of("Shop Three")).status).toBe(404);
		await house.mint({ partner: "Live Shop" });
		expect((await of("Live Shop")).json.error.message).toContain("has no sandbox");
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("a lot of one partner's sandbox is named by its partner, and units received into it stay there", async () => {
		const partner = "Shop Four";
		await house.mint({ environment: "sandbox", brandCode: "SANDBOX", sharedPool: false, partner });
		const named = { params: { fg_id: "SANDBOX" }, query: "?formula=SBX-OUT&brand_code=SANDBOX" };
		const list = await operate(house, ListLots, { query: "?formula=SBX-LOW&limit=100" });
		const own = list.json.data.items.find((lot: { sandbox_of: string | null }) => lot.sandbox_of === partner);
		expect(own).toMatchObject({ brand_code: "SANDBOX", available: 3 });
		expect((await operate(house, GetLot, named)).status).toBe(404); // nothing was ever received of it
		const several = { params: { fg_id: "SANDBOX" }, query: "?formula=SBX-LOW" };
		expect((await operate(house, GetLot, several)).json.error.message).toContain(`SANDBOX of ${partner}`);
		const received = { params: { fg_id: own.fg_id }, body: { units: 2 } };
		expect((await operate(house, ReceiveUnits, received)).status).toBe(200);
		expect((await operate(house, GetLot, { params: { fg_id: own.fg_id } })).json.data.available).toBe(5);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("without an audit row if nothing was to be done", async () => {
		await restock();
		const rows = await auditRows(house);
		expect((await restock()).json.data).toEqual({
			done: true,
			received_units: 0,
			removed_units: 0,
			sample_certificates: 0,
		});
		expect(await auditRows(house)).toBe(rows);
	});
});
