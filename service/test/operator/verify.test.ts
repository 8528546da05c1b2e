import { afterAll, beforeAll, expect, it } from "vitest";
import { newClient } from "../../src/ground/pg/client.ts";
import { GetRun, StopRun } from "../../src/partners/runs/admin-contract.ts";
import { VerifyLedger } from "../../src/upkeep/ledger/admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;

beforeAll(async () => {
	house = await openHouse();
	await house.stock({ ONE: 100 });
});
afterAll(() => house.close());

/** Starts a verification and waits for its report. */
async function verified(headers: { readonly [name: string]: string } = {}, query = "") {
	const { status, json } = await operate(house, VerifyLedger, { headers, query });
	if (status === 200) return json.data;
	expect(status).toBe(202);
	const params = { run_id: json.data.run_id };
	const run = async () => (await operate(house, GetRun, { params })).json.data;
	await expect.poll(async () => (await run()).status, { timeout: 60_000 }).toBe("done");
	return (await run()).result;
}

it("A verification checks every rule beside the running service, and leaves one row in the audit log", async () => {
	const before = await auditRows(house);
	expect(await verified()).toMatchObject({
		ok: true,
		differences_count: 0,
		differences: [],
		checked: { moves: expect.any(Number) },
	});
	expect(await auditRows(house)).toBe(before + 1);
	const { rows } = await house.db.query("select operation, about from audit_log order by seq desc limit 1");
	expect(rows).toEqual([{ operation: "verify_ledger", about: "the ledger" }]);
});

it("A verification names what was changed behind the service's back", async () => {
	const change = (by: number) =>
		house.db.query(
			`update lot set available = available - $1, destroyed = destroyed + $1
			  where formula_id = (select formula_id from formula where code = 'F-ONE')`,
			[by],
		);
	await change(1);
	try {
		const { ok, differences_count, differences } = await verified();
		expect([ok, differences_count]).toEqual([false, 2]);
		expect(differences).toMatchObject([
			{ rule: "lot-balance", count: 2, examples: [{ expected: "100", found: "99" }, {}] },
		]);
	} finally {
		await change(-1);
	}
});

it("A verification goes on from the last seal if asked to, and leaves one of its own", async () => {
	const first = await verified();
	expect(first).toMatchObject({ ok: true, since: null, sealed: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) } });
	const seal = first.sealed?.seal ?? 0;
	const next = await verified({}, "?since_seal=true");
	expect(next).toMatchObject({ ok: true, since: { seal, sealed_at: first.as_of }, sealed: { seal: seal + 1 } });
});

it("A repeat under the same Idempotency-Key is answered with the report of the first", async () => {
	const before = await auditRows(house);
	const headers = { "Idempotency-Key": "nightly" };
	expect(await verified(headers)).toEqual(await verified(headers));
	expect(await auditRows(house)).toBe(before + 1);
});

it("A verification that is stopped leaves no statement behind, however long it would have taken", async () => {
	const blocker = newClient(house.url, "blocker");
	await blocker.connect();
	await blocker.query("begin; lock table unit_move in access exclusive mode");
	try {
		const { status, json } = await operate(house, VerifyLedger);
		expect(status).toBe(202);
		const params = { run_id: json.data.run_id };
		expect((await operate(house, StopRun, { params, body: {} })).status).toBe(200);
		const state = async () => (await operate(house, GetRun, { params })).json.data.status;
		await expect.poll(state).toBe("stopped");
		const left = async () =>
			(
				await house.db.query(
					"select from pg_stat_activity where application_name = 'holdfast verify' and datname = current_database()",
				)
			).rowCount;
		await expect.poll(left).toBe(0);
	} finally {
		await blocker.end();
	}
});
