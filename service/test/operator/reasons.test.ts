import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { ClearDemand, PutDemand } from "../../src/inventory/demand/admin-contract.ts";
import { DismissException, PutStore, RemoveStore } from "../../src/inventory/demand/reported-admin-contract.ts";
import { GetRecall, RecallLots } from "../../src/inventory/recall/admin-contract.ts";
import { DestroyLot, QuarantineLot, RestoreLot } from "../../src/inventory/recall/lot-admin-contract.ts";
import { GetLot, ListLotMoves } from "../../src/inventory/stock/admin-contract.ts";
import { CorrectLot } from "../../src/inventory/stock/lot-write-contract.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { RotateKey } from "../../src/partners/keys/key-admin-contract.ts";
import { MintToken, RevokeToken } from "../../src/partners/operators/contract.ts";
import { AddTotp, EndMySession, ListMySessions, RemoveMyFactor } from "../../src/partners/people/me-contract.ts";
import { EndSessionsOfPerson } from "../../src/partners/people/people-contract.ts";
import { DeleteEndpoint, MakeEndpoint } from "../../src/partners/webhooks/endpoint-admin-contract.ts";
import { ImportWorld } from "../../src/upkeep/import/admin-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { RestockOperatorSandbox, RestockPartnerSandbox } from "../../src/upkeep/sandbox/admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, type Asked, type Operated, operate } from "../operate.ts";
import { cookieOf, PASSWORD, personAt, signInAt } from "../person.ts";
import { auditRows } from "./placed.ts";

let house: House;
let fgId: string;
beforeAll(async () => {
	house = await openHouse({ env: { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" } });
	const { lots } = await house.stock({ ONE: 20 });
	fgId = must(lots[0]?.fg_id, "a lot");
	await house.importWorld({
		brands: [{ code: "BOLT", name: "Bolt" }],
		formulas: [{ code: "F-1", name: "F", status: "active" }],
	});
});
afterAll(() => house.close());

const lastAudit = async () => (await house.db.query("select * from audit_log order by seq desc limit 1")).rows[0];
/** The data of a write or a read that succeeded. */
const done = async (as: As, operation: Operation, asked: Asked): Promise<Operated["json"]["data"]> => {
	const { status, json } = await operate(as, operation, asked);
	expect([operation.id, status, json.error]).toEqual([operation.id, expect.any(Number), undefined]);
	keepSecretsOf(JSON.stringify(json));
	return json.data;
};
const BECAUSE = { query: `?reason=${encodeURIComponent("the season is over")}` };

describe("A reason", () => {
	it("may be missing where units move, and the ledger then has none", async () => {
		const params = { fg_id: fgId };
		await done(house, CorrectLot, { params, body: { units: 3 } });
		await done(house, QuarantineLot, { params, body: { units: 2 } });
		await done(house, RestoreLot, { params, body: { units: 2 } });
		await done(house, DestroyLot, { params, body: { units: 1 } });
		await done(house, CorrectLot, { params, body: { units: -1, reason: "counted" } });
		const recall = await done(house, RecallLots, { body: { fg_id: fgId } });
		expect([recall.reason, recall.status]).toEqual([null, "done"]);
		expect((await done(house, GetRecall, { params: { id: recall.recall_id } })).reason).toBe(null);
		const { items } = await done(house, ListLotMoves, { params });
		expect(
			items.map(({ cause, about, reason }: Record<string, unknown>) => [cause, about, reason]).slice(0, 6),
		).toEqual([
			["recall", null, null],
			["correct", null, "counted"],
			["destroy", null, null],
			["restore", null, null],
			["quarantine", null, null],
			["correct", null, null],
		]);
		await done(house, RestoreLot, { params, body: { all: true, ends_recall: true } });
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("is kept in the audit log of a rotation, an import, and of writes without a body", async () => {
		const { pk } = await house.mint();
		await done(house, RotateKey, { params: { pk }, body: { reason: "a leak" } });
		expect((await lastAudit())?.body).toEqual({ reason: "a leak" });
		const world = { brands: [{ code: "CALM", name: "Calm" }], reason: "the new brand" };
		await done(house, ImportWorld, { body: world });
		expect((await lastAudit())?.body).toEqual(world);
		const token = await done(house, MintToken, { body: { name: "late", role: "viewer" } });
		await house.mint({ partner: "Acme", environment: "sandbox", brandCode: "SANDBOX", sharedPool: false });
		const url = "http://127.0.0.1:9/hook";
		const endpoint = await done(house, MakeEndpoint, { body: { partner: "Acme", environment: "live", url } });
		const demand = { items: [{ formula: "F-1", brand_code: null, units: 2 }] };
		await done(house, PutDemand, { params: { reference: "fair" }, body: demand });
		await done(house, PutStore, { params: { id: "204817" }, body: { brand_code: "BOLT" } });
		await personAt(house.api, house, "kurt", "viewer");
		for (const [operation, params] of [
			[RevokeToken, { id: token.id }],
			[DeleteEndpoint, { id: endpoint.endpoint_id }],
			[ClearDemand, { reference: "fair" }],
			[RemoveStore, { id: "204817" }],
			[EndSessionsOfPerson, { name: "kurt" }],
		] as const) {
			await done(house, operation, { params, ...BECAUSE });
			expect(await lastAudit()).toMatchObject({ operation: operation.id, body: { reason: "the season is over" } });
		}
		await done(house, RestockOperatorSandbox, BECAUSE);
		await done(house, RestockPartnerSandbox, { params: { partner_id: "Acme" }, ...BECAUSE });
		const long = await operate(house, RestockOperatorSandbox, { query: `?reason=${"x".repeat(501)}` });
		expect([long.status, long.json.error.code]).toEqual([400, "invalid_input"]);
	});
});

it("A dry run of taking units out or giving them back compares If-Match as the real thing does", async () => {
	const params = { fg_id: fgId };
	const etag = String((await operate(house, GetLot, { params })).headers.etag);
	const body = { units: 1, dry_run: true };
	for (const operation of [QuarantineLot, DestroyLot]) {
		const late = await operate(house, operation, { params, body, headers: { "if-match": 'W/"another"' } });
		expect([operation.id, late.status]).toEqual([operation.id, 412]);
		const dry = await operate(house, operation, { params, body, headers: { "if-match": etag } });
		expect([operation.id, dry.status]).toEqual([operation.id, 200]);
	}
	const late = await operate(house, RestoreLot, { params, body, headers: { "if-match": 'W/"another"' } });
	expect(late.status).toBe(412);
});

describe("A deletion under an Idempotency-Key", () => {
	it("is answered with its first reply, and another one under the same key is refused", async () => {
		const as = await personAt(house.api, house, "lena", "admin");
		const sessionOf = async () => cookieOf(await signInAt(house.api, { name: "lena", password: PASSWORD }));
		await sessionOf();
		await personAt(house.api, house, "lara", "viewer");
		const listed = await done(as, ListMySessions, {});
		expect(listed.next_cursor).toBe(null);
		const token = await done(house, MintToken, { body: { name: "short", role: "viewer" } });
		const { id: factor } = await done(as, AddTotp, { body: { name: "phone" } });
		await house.db.query("update operator_factor set confirmed_at = now()");
		for (const [operation, params] of [
			[RevokeToken, { id: token.id }],
			[EndMySession, { id: listed.items.find(({ current }: { current: boolean }) => !current).id }],
			[EndSessionsOfPerson, { name: "lara" }],
			[RemoveMyFactor, { id: factor }],
		] as const) {
			const asked = { params, headers: { "idempotency-key": operation.id } };
			const first = await operate(as, operation, asked);
			const rows = await auditRows(house);
			const again = await operate(as, operation, asked);
			expect([operation.id, first.status, again.status]).toEqual([operation.id, 200, 200]);
			expect([again.json, again.headers["idempotent-replayed"]]).toEqual([first.json, "true"]);
			expect(await auditRows(house)).toBe(rows);
			if (operation === RemoveMyFactor) continue;
			const other = await operate(as, operation, { ...asked, ...BECAUSE });
			expect([operation.id, other.status]).toEqual([operation.id, 409]);
		}
	});
});

describe("What is already so is answered as it is, without a row in the audit log:", () => {
	it("a session of one's own that has ended", async () => {
		const as = await personAt(house.api, house, "mona", "viewer");
		cookieOf(await signInAt(house.api, { name: "mona", password: PASSWORD }));
		const { items } = await done(as, ListMySessions, {});
		const [{ id }] = items.filter(({ current }: { current: boolean }) => !current);
		const first = await done(as, EndMySession, { params: { id } });
		const rows = await auditRows(house);
		expect(await done(as, EndMySession, { params: { id } })).toEqual(first);
		expect(await auditRows(house)).toBe(rows);
		const [page] = [await operate(as, ListMySessions, { query: "?limit=1" })];
		expect(page?.json.data).toEqual({ items: [expect.objectContaining({ current: true })], next_cursor: null });
	});

	it("a dismissed exception, whose first reason stays", async () => {
		const { rows } = await house.db.query<{ id: string }>(
			`insert into demand_exception (reference, kind, subject, promised_kits, shipped_kits, missing_units)
			 select 'shipstation:' || n, 'unknown_sku', 'X', 0, 1, 0 from generate_series(1, 2) n returning exception_id::text as id`,
		);
		const [first, second] = rows.map(({ id }) => id);
		const params = { id: must(first, "an exception") };
		const dismissed = await done(house, DismissException, { params, body: { reason: "counted by hand" } });
		const before = await auditRows(house);
		expect(await done(house, DismissException, { params, body: { reason: "again" } })).toEqual(dismissed);
		expect(await auditRows(house)).toBe(before);
		const other = { id: must(second, "an exception") };
		expect((await done(house, DismissException, { params: other, body: {} })).note).toBe(null);
		await house.db.query("update demand_exception set outcome = 'settled' where exception_id = $1", [other.id]);
		const settled = await operate(house, DismissException, { params: other, body: {} });
		expect(settled.json.error.code).toBe("not_possible_now");
	});
});
