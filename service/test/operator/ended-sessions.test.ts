import { afterAll, beforeAll, expect, it } from "vitest";
import { GetBrand, PutBrand } from "../../src/inventory/catalog/admin-contract.ts";
import { ListPartners, MakePartner } from "../../src/partners/keys/partner-admin-contract.ts";
import { MintToken, RevokeToken } from "../../src/partners/operators/contract.ts";
import { ChangeMe, GetMe, SignOut } from "../../src/partners/people/me-contract.ts";
import { GetLive } from "../../src/upkeep/console/live-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, operate } from "../operate.ts";
import { PASSWORD, personAt, signInAt } from "../person.ts";

let house: House;
beforeAll(async () => {
	house = await openHouse();
});
afterAll(() => house.close());

const sql = (text: string, ...values: unknown[]) => house.db.query(text, values);
const refusedRows = async (name: string) =>
	(
		await sql(
			"select via, credential, operation, status, code from audit_log where actor = $1 and code = 'unauthorized'",
			`operator:${name}`,
		)
	).rows;

it.each([
	["was signed out", (as: As, _id: string) => operate(as, SignOut)],
	["was idle for too long", (_as: As, id: string) => age("seen_at", "9 hours", id)],
	["is older than a day", (_as: As, id: string) => age("created_at", "25 hours", id)],
])("a write with a session that %s is refused under the name of its owner, once a minute", async (what, end) => {
	const name = `anna-${what.length}`;
	const as = await personAt(house.api, house, name, "operator");
	const { id } = (await operate(as, GetMe)).json.data.session;
	await end(as, id);
	await expect.poll(async () => (await operate(as, GetMe)).status).toBe(401);
	expect(await refusedRows(name)).toEqual([]); // a read is not a write
	const write = () => operate(as, MakePartner, { body: { name: "Late" } });
	expect((await write()).json.error.code).toBe("unauthorized");
	expect((await write()).status).toBe(401);
	const row = { via: "session", credential: id, operation: "make_partner", status: 401, code: "unauthorized" };
	expect(await refusedRows(name)).toEqual([row]);
});

const age = (column: "seen_at" | "created_at", by: string, id: string) =>
	sql(`update operator_session set ${column} = now() - $1::interval where session_id = $2`, by, id);

it("a cookie that never was a session is refused without a row", async () => {
	const before = (await sql("select count(*) from audit_log")).rows;
	const as = { api: house.api, cookie: `holdfast=${"A".repeat(43)}` };
	const many = Array.from({ length: 200 }, () => operate(as, MakePartner, { body: { name: "Late" } }));
	expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([401]));
	expect((await sql("select count(*) from audit_log")).rows).toEqual(before);
});

it("what a page reads by itself does not prolong a session, and what a person does there does", async () => {
	const as = await personAt(house.api, house, "olga", "admin");
	const { id } = (await operate(as, GetMe)).json.data.session;
	const seenAt = async () =>
		(await sql("select seen_at::text as at from operator_session where session_id = $1", id)).rows[0]?.at;
	const aged = async () => {
		await age("seen_at", "29 minutes", id);
		await sql("select pg_sleep(0.3)"); // longer than a node may know the session as it was
		return await seenAt();
	};
	const by = { "x-unattended": "true" };
	const before = await aged();
	expect((await operate(as, ListPartners, { headers: by })).status).toBe(200);
	expect((await operate(as, GetLive, { headers: { accept: "text/event-stream" } })).status).toBe(200);
	await sql("select pg_sleep(0.3)"); // longer than a node takes to record the use of a session
	expect(await seenAt()).toBe(before);
	for (const act of [
		() => operate(as, ListPartners),
		() => operate(as, MakePartner, { body: { name: "By Hand" }, headers: by }),
	]) {
		const then = await aged();
		expect((await act()).status).toBeLessThan(300);
		await expect.poll(seenAt).not.toBe(then);
	}
});

/** Runs `act` while a stranger locks `rows`, and then `meanwhile`; resolves with the result of `act`. */
async function whileWaiting<T>(rows: string, act: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
	const stranger = await house.db.take();
	try {
		await stranger.query("begin");
		await stranger.query(rows);
		const acted = act();
		await expect
			.poll(
				async () =>
					(await sql("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
						.rowCount,
			)
			.toBe(1);
		await meanwhile();
		await stranger.query("rollback");
		return await acted;
	} finally {
		stranger.release();
	}
}

it("a write that waits while its token is revoked is refused, and nothing is done", async () => {
	const made = await operate(house, MintToken, { body: { name: "late", role: "admin" } });
	const { id, token } = made.json.data;
	keepSecretsOf(JSON.stringify({ token }));
	const put = () => operate({ api: house.api, token }, PutBrand, { params: { code: "LATE" }, body: { name: "Late" } });
	const answer = await whileWaiting("select from catalog_epoch for update", put, async () => {
		expect((await operate(house, RevokeToken, { params: { id } })).status).toBe(200);
		await sql("select pg_sleep(0.3)"); // longer than a node may know the token as it was
	});
	expect([answer.status, answer.json.error.code]).toEqual([401, "unauthorized"]);
	expect((await operate(house, GetBrand, { params: { code: "LATE" } })).status).toBe(404);
	const { rows } = await sql("select operation, code from audit_log where credential = $1", id.replace("op_hf_", ""));
	expect(rows.length).toBeLessThanOrEqual(1);
});

it("a session that is ended while its new password is checked gets no successor", async () => {
	const as = await personAt(house.api, house, "petra", "operator");
	const { id } = (await operate(as, GetMe)).json.data.session;
	const body = { password: "another river under new bridges", current_password: PASSWORD };
	const change = () => operate(as, ChangeMe, { body });
	const answer = await whileWaiting("select from operator_person where name = 'petra' for update", change, () =>
		sql("update operator_session set ended_at = now() where session_id = $1", id),
	);
	expect(answer.status).toBe(401);
	expect(
		(
			await sql(
				"select from operator_session where ended_at is null and person_id = (select person_id from operator_person where name = 'petra')",
			)
		).rowCount,
	).toBe(0);
	expect((await signInAt(house.api, { name: "petra", password: PASSWORD })).status).toBe(200);
});
