import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/ground/lib/ids.ts";
import { GetLot } from "../../src/inventory/stock/admin-contract.ts";
import { CorrectLot, LocateLot, ReceiveBatch, ReceiveUnits } from "../../src/inventory/stock/lot-write-contract.ts";
import { MintToken } from "../../src/partners/operators/contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;

beforeAll(async () => {
	house = await openHouse();
	await house.importWorld({
		brands: [{ code: "ACME", name: "Acme" }],
		formulas: [{ code: "CALM-60", name: "Calm", status: "active" }],
		skus: [{ sku: "CALM", name: "Calm", kind: "single", components: [{ formula: "CALM-60", per_kit: 1 }] }],
	});
});
afterAll(() => house.close());

const batch = (batch_number: string, more: object = {}) => ({
	formula: "CALM-60",
	brand_code: "ACME",
	batch_number,
	units: 10,
	...more,
});
const receive = (body: object, headers: Record<string, string> = {}) => operate(house, ReceiveBatch, { body, headers });
const made = async (batch_number: string, more: object = {}): Promise<string> =>
	(await receive(batch(batch_number, more))).json.data.fg_id;
const read = async (fg_id: string) => (await operate(house, GetLot, { params: { fg_id } })).json.data;
const recall = (fgId: string) =>
	house.deps.engine.execute({
		kind: "recall",
		origin: { actor: "operator:test", requestId: null },
		fgIds: [fgId],
		reason: "lab report",
		holders: [],
	});

describe("Operators receive units", () => {
	it("of a new batch, of the same again, and of a lot; ledger and audit log name who did it", async () => {
		const first = await receive(batch("C-1", { expires_on: "2090-11-30", reason: "delivery note 7" }));
		expect([first.status, first.json.data]).toEqual([
			201,
			{ fg_id: expect.any(String), received: 10, quarantined: false },
		]);
		const { fg_id } = first.json.data;
		expect((await receive(batch("C-1"))).json.data).toEqual({ fg_id, received: 20, quarantined: false });
		const third = await operate(house, ReceiveUnits, { params: { fg_id }, body: { units: 5 } });
		expect([third.status, third.json.data.received]).toEqual([200, 25]);
		expect(await read("C-1")).toMatchObject({ expires_on: "2090-11-30", received: 25, available: 25 });
		const { rows } = await house.db.query(
			`select m.cause_id, m.units from unit_move m join audit_log a on a.about = m.fg_id::text
			    and a.actor = m.actor and a.request_id = m.request_id where m.fg_id = $1 order by m.seq`,
			[fg_id],
		);
		expect(rows).toEqual([
			{ cause_id: "delivery note 7", units: 10 },
			{ cause_id: "C-1", units: 10 },
			{ cause_id: "C-1", units: 5 },
		]);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("of the shared pool, once under an Idempotency-Key, and not at all in a dry run", async () => {
		const rows = await auditRows(house);
		const dry = await receive(batch("S-1", { brand_code: null, dry_run: true }));
		expect([dry.status, dry.json.data]).toMatchObject([201, { received: 10, dry_run: true }]);
		expect((await operate(house, GetLot, { params: { fg_id: "S-1" } })).status).toBe(404);
		expect(await auditRows(house)).toBe(rows);
		const key = { "idempotency-key": "note-8" };
		const [first, again] = [
			await receive(batch("S-1", { brand_code: null }), key),
			await receive(batch("S-1", { brand_code: null }), key),
		];
		expect([again.status, again.json, again.headers["idempotent-replayed"]]).toEqual([201, first.json, "true"]);
		expect((await receive(batch("S-1", { brand_code: null, units: 9 }), key)).json.error.code).toBe(
			"idempotency_conflict",
		);
		const dryMore = { params: { fg_id: "S-1" }, body: { units: 5, dry_run: true } };
		expect((await operate(house, ReceiveUnits, dryMore)).json.data).toMatchObject({ received: 15, dry_run: true });
		expect(await read("S-1")).toMatchObject({ brand_code: null, received: 10 });
	});

	it("at the same moment into one new batch: it is one lot, with all of them", async () => {
		const answers = await Promise.all(Array.from({ length: 6 }, () => receive(batch("RACE", { units: 3 }))));
		expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201]);
		expect((await read("RACE")).received).toBe(18);
	});

	it.for([
		[404, { formula: "calm-60" }, 'did you mean "CALM-60"?'],
		[404, { brand_code: "acme" }, 'did you mean "ACME"?'],
		[400, { batch_number: " B" }, "white space"],
		[400, { batch_number: "n 1" }, "did you mean that one? To receive it as another batch, set new_batch."],
		[400, { batch_number: "N-1", expires_on: "2091-01-01" }, "on record as expiring"],
		[400, { expires_on: "2091-02-30" }, "/expires_on"],
		[400, { received_on: "2091-02-30" }, "/received_on"],
		[400, { units: 0 }, "/units"],
		[400, { accept_recalled: true }, "/reason"],
		[400, { unit: 1 }, "/unit"],
	] as const)("%i for %j", async ([status, more, message]) => {
		await made("N-1", { expires_on: "2090-11-30" });
		const refused = await receive(batch("N-2", more));
		expect([refused.status, refused.json.error.message]).toEqual([status, expect.stringContaining(message)]);
	});

	it("of a recalled batch into quarantine; free only with a reason and the role operator", async () => {
		const recalled = await made("BAD");
		await recall(recalled);
		const more = { params: { fg_id: recalled }, body: { units: 1, accept_recalled: true, reason: "good" } };
		const never = await operate(house, ReceiveUnits, more);
		expect([never.status, never.json.error.code]).toEqual([409, "not_possible_now"]);
		const shared = { brand_code: null };
		expect((await receive(batch("BAD", shared))).json.data).toMatchObject({ received: 10, quarantined: true });
		const body = { name: "dock", role: "warehouse" };
		const { token } = (await operate(house, MintToken, { body })).json.data;
		const accepted = batch("BAD", { ...shared, accept_recalled: true, reason: "another run" });
		const dock = await operate({ api: house.api, token }, ReceiveBatch, { body: accepted });
		expect([dock.status, dock.json.error.code]).toEqual([403, "forbidden"]);
		expect((await receive(accepted)).json.data).toMatchObject({ received: 20, quarantined: false });
	});
});

describe("Operators correct a lot", () => {
	it("up and down, by what is free, and not at all in a dry run", async () => {
		const fg_id = await made("K-1");
		const correct = (body: object, headers: Record<string, string> = {}) =>
			operate(house, CorrectLot, { params: { fg_id }, body, headers });
		const reason = "counted";
		const moved = (units: number) => ({ fg_id, moved: units, replaced: 0, lost: 0, quarantined: false });
		expect((await correct({ units: -3, reason, dry_run: true })).json.data).toEqual({ ...moved(3), dry_run: true });
		expect((await correct({ units: -3, reason })).json.data).toEqual(moved(3));
		expect((await correct({ units: 1, reason })).json.data).toEqual(moved(1));
		expect(await read(fg_id)).toMatchObject({ corrected: -2, available: 8 });
		const rows = await auditRows(house);
		const tooMany = await correct({ units: -9, reason });
		expect([tooMany.status, tooMany.json.error]).toMatchObject([
			409,
			{ code: "not_possible_now", message: expect.stringContaining("has 8 free units") },
		]);
		expect(await auditRows(house)).toBe(rows + 1);
		expect((await correct({ units: 0, reason })).status).toBe(400);
		expect((await correct({ units: 1, reason: "" })).status).toBe(400);
		expect((await operate(house, CorrectLot, { params: { fg_id: newId() }, body: { units: 1, reason } })).status).toBe(
			404,
		);
		const { etag } = (await operate(house, GetLot, { params: { fg_id } })).headers;
		expect((await correct({ units: 1, reason }, { "if-match": String(etag) })).status).toBe(200);
		expect((await correct({ units: 1, reason }, { "if-match": String(etag) })).status).toBe(412);
		expect((await verify(house.db)).ok).toBe(true);
	});
});

describe("Operators say where a lot is", () => {
	it("and that it is nowhere; what is so already leaves no row", async () => {
		const fg_id = await made("L-1");
		const locate = (location: string | null) => operate(house, LocateLot, { params: { fg_id }, body: { location } });
		const rows = await auditRows(house);
		expect((await locate(" A-12-3 ")).json.data).toEqual({ fg_id, location: "A-12-3" });
		expect((await locate("A-12-3")).status).toBe(200);
		expect((await read(fg_id)).location).toBe("A-12-3");
		expect((await locate(null)).json.data).toEqual({ fg_id, location: null });
		expect((await locate(null)).status).toBe(200);
		expect(await auditRows(house)).toBe(rows + 2);
		expect((await locate("two\nlines")).status).toBe(400);
		expect((await operate(house, LocateLot, { params: { fg_id: "none" }, body: { location: "A" } })).status).toBe(404);
	});
});
