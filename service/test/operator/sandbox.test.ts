import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { RestockOperatorSandbox } from "../../src/upkeep/sandbox/admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { type As, operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;
let socket: As;

beforeAll(async () => {
	house = await openHouse();
	socket = { socket: must(house.nodes[0], "a node").socket };
});
afterAll(() => house.close());

const restock = (headers: Record<string, string> = {}) => operate(socket, RestockOperatorSandbox, { headers });

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
