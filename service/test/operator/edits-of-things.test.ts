import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/glossary.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { GetOperatorHold, ReleaseHold } from "../../src/inventory/holds/admin-contract.ts";
import { GetOperatorOrder } from "../../src/inventory/orders/admin-contract.ts";
import { PickOrder } from "../../src/inventory/shipping/ship-admin-contract.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { ChangeMe, GetMe } from "../../src/partners/people/me-contract.ts";
import { ChangePerson, GetPerson } from "../../src/partners/people/people-contract.ts";
import { GetRun, StopRun } from "../../src/partners/runs/admin-contract.ts";
import { GetGoLive } from "../../src/upkeep/golive/admin-contract.ts";
import {
	DrillGoLive,
	FinishGoLive,
	ReviewGoLive,
	StartGoLive,
	StopGoLive,
	WaiveGoLive,
} from "../../src/upkeep/golive/run-write-contract.ts";
import { type House, openHouse } from "../house.ts";
import { type As, operate } from "../operate.ts";
import { personAt } from "../person.ts";
import { placeOrder } from "./placed.ts";

let house: House;
beforeAll(async () => {
	house = await openHouse();
	await house.stock({ ONE: 20 });
});
afterAll(() => house.close());

const lastAudit = async () => (await house.db.query("select * from audit_log order by seq desc limit 1")).rows[0];

interface Edit {
	readonly as: As;
	readonly read: Operation;
	readonly edit: Operation;
	readonly params?: { readonly [name: string]: string };
	readonly body: object;
	/** Statuses of an edit that was not refused for its If-Match. */
	readonly done?: readonly number[];
}

/** Refused with an ETag of another state, and carried out, or judged by its own rules, with that of the read. */
async function isConditional({ as, read, edit, params, body, done = [200] }: Edit): Promise<void> {
	const asked = params === undefined ? {} : { params };
	const seen = await operate(as, read, asked);
	expect([edit.id, seen.status, typeof seen.headers.etag]).toEqual([edit.id, 200, "string"]);
	const late = await operate(as, edit, { ...asked, body, headers: { "if-match": 'W/"another"' } });
	expect([edit.id, late.status, late.json.error?.code]).toEqual([edit.id, 412, "changed_meanwhile"]);
	expect(await lastAudit()).toMatchObject({ operation: edit.id, status: 412 });
	const { status } = await operate(as, edit, { ...asked, body, headers: { "if-match": String(seen.headers.etag) } });
	expect([edit.id, done.includes(status)]).toEqual([edit.id, true]);
}

describe("If-Match is compared before", () => {
	it("a hold is released and an order is picked", async () => {
		const { token: key } = await house.mint({ scopes: ["atp.reserve", "atp.orders"] });
		const held = await house.call(key, "/api/v1/reserve", { body: { items: [{ sku: "ONE", qty: 2 }] } });
		const token = held.json.data.reservation_token;
		await isConditional({ as: house, read: GetOperatorHold, edit: ReleaseHold, params: { token }, body: {} });
		const { order_id: id } = await placeOrder(house, key, "order-1");
		await isConditional({ as: house, read: GetOperatorOrder, edit: PickOrder, params: { id }, body: {} });
	});

	it("every step of a go-live", async () => {
		const { pk } = await house.mint({
			environment: "sandbox",
			brandCode: "SANDBOX",
			sharedPool: false,
			scopes: SCOPES,
		});
		const { json } = await operate(house, StartGoLive, { body: { key: pk } });
		const params = { id: String(json.data.golive_id) };
		const key = { name: "web", brand_code: "ACME", preset: "read_only" };
		for (const [edit, body, done] of [
			[ReviewGoLive, { check: "rate", passed: true, words: "seen" }, [409]],
			[WaiveGoLive, { check: "coa_feed", reason: "no certificates" }, [200]],
			[FinishGoLive, { ...key, reason: "the season begins" }, [409]],
			[DrillGoLive, {}, [200]],
			[StopGoLive, { what: "run" }, [200]],
		] as const) {
			await isConditional({ as: house, read: GetGoLive, edit, params, body, done });
		}
	});

	it("a run is stopped", async () => {
		const run_id = newId();
		await house.db.query(
			`insert into operator_run (run_id, operation, about, actor, request_id, status, state, done, held_until)
			 values ($1, 'recall_lots', 'C-1', 'operator:a', 'req_0', 'running', '{}', 0, now() + interval '1 hour')`,
			[run_id],
		);
		await isConditional({ as: house, read: GetRun, edit: StopRun, params: { run_id }, body: {} });
	});

	it("a person or oneself is changed, however often the session is used between", async () => {
		const as = await personAt(house.api, house, "nina", "operator");
		const params = { name: "nina" };
		await isConditional({ as: house, read: GetPerson, edit: ChangePerson, params, body: { email: "n@example.com" } });
		const first = await operate(as, GetMe);
		await house.db.query("update operator_session set seen_at = now() + interval '1 minute'");
		const later = await operate(as, GetMe, { headers: { "if-none-match": String(first.headers.etag) } });
		expect([later.status, later.headers.etag]).toEqual([200, first.headers.etag]);
		await isConditional({ as, read: GetMe, edit: ChangeMe, body: { email: "nina@example.com" } });
		expect((await operate(as, GetMe)).headers.etag).not.toBe(first.headers.etag);
	});
});
