import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import type { KeyRing } from "../../src/partners/keys/key-ring.ts";
import { MakePartner } from "../../src/partners/keys/partner-admin-contract.ts";
import { VerifyAudit } from "../../src/partners/operators/contract.ts";
import { sealAudit } from "../../src/partners/operators/seal-audit.ts";
import { type House, openHouse } from "../house.ts";
import { type As, operate } from "../operate.ts";

/** Gives every row the hash that follows from the row before it, and makes the last hash the log's head. */
const RECHAIN = `do $$
declare entry audit_log; head bytea := sha256('holdfast audit log'); last bigint := 0;
begin
  for entry in select * from audit_log order by seq loop
    entry.previous := head;
    entry.hash := audit_hash(entry);
    update audit_log set previous = entry.previous, hash = entry.hash where seq = entry.seq;
    head := entry.hash; last := entry.seq;
  end loop;
  update audit_head set seq = last, hash = head;
end $$`;
const TABLES = ["audit_log", "audit_seal", "audit_head"];

let house: House;
let socket: As;
let ring: KeyRing;
let days: { readonly first: string; readonly empty: string; readonly last: string };
const verdict = async () => (await operate(socket, VerifyAudit)).json.data;
const exec = (text: string) => house.db.query(text);
const triggers = (how: "disable" | "enable") =>
	exec(`alter table audit_log ${how} trigger user; alter table audit_seal ${how} trigger user`);

/** Changes the log and the seals as an owner of the database can, verifies, and restores everything. */
async function tampered(...statements: string[]): Promise<unknown[]> {
	await triggers("disable");
	for (const table of TABLES) await exec(`create table kept_${table} as table ${table}`);
	for (const statement of statements) await exec(statement);
	const { whole, broken_at, broken_day } = await verdict();
	for (const table of TABLES)
		await exec(`delete from ${table}; insert into ${table} table kept_${table}; drop table kept_${table}`);
	await triggers("enable");
	return [whole, broken_at, broken_day];
}

beforeAll(async () => {
	house = await openHouse();
	const node = must(house.nodes[0], "a node");
	socket = { socket: node.socket };
	ring = must(node.deps, "a service of this process").ring;
	for (let n = 1; n <= 9; n++)
		await operate(socket, MakePartner, { body: { name: `Partner number ${n}`, new_partner: true } });
	// three rows three days ago, three yesterday, three today
	await triggers("disable");
	await exec(
		"update audit_log set at = at - make_interval(days => case when seq <= 3 then 3 else 1 end) where seq <= 6",
	);
	await exec(RECHAIN);
	await triggers("enable");
	const { rows } = await house.db.query<typeof days>(
		`select to_char(d - 3, 'YYYY-MM-DD') as first, to_char(d - 2, 'YYYY-MM-DD') as empty, to_char(d - 1, 'YYYY-MM-DD') as last
		   from (select (at at time zone 'UTC')::date as d from audit_log where seq = 9) today`,
	);
	days = must(rows[0], "the days");
	expect(await sealAudit(house.db, ring)).toBe(3);
});
afterAll(() => house.close());

describe("The days of the audit log that are over", () => {
	it("are sealed once, those without rows too, and the verdict names the last with its digest", async () => {
		expect(await sealAudit(house.db, ring)).toBe(0);
		const { rows } = await house.db.query("select to_char(day, 'YYYY-MM-DD') as day, seq from audit_seal order by day");
		expect(rows).toEqual([
			{ day: days.first, seq: 3 },
			{ day: days.empty, seq: 3 },
			{ day: days.last, seq: 6 },
		]);
		expect(await verdict()).toEqual({
			whole: true,
			rows: 9,
			broken_at: null,
			broken_day: null,
			why: null,
			sealed_to: { day: days.last, seq: 6, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
		});
	});

	it("show that a row was changed and every hash after it recomputed", async () => {
		expect(await tampered("update audit_log set about = 'x' where seq = 2", RECHAIN)).toEqual([false, 1, days.first]);
		expect(await tampered("update audit_log set about = 'x' where seq = 5", RECHAIN)).toEqual([false, 4, days.last]);
		// without new hashes the row itself is named
		expect(await tampered("update audit_log set about = 'x' where seq = 5")).toEqual([false, 5, days.last]);
		expect(await tampered("update audit_log set about = 'x' where seq = 3")).toEqual([false, 3, days.first]);
		expect(await tampered("delete from audit_log where seq = 6")).toEqual([false, 6, days.last]);
	});

	it("show that the end of a day was cut off, with or without the days after it", async () => {
		expect(await tampered("delete from audit_log where seq > 5", RECHAIN)).toEqual([false, 6, days.last]);
		expect(await tampered("delete from audit_log where seq > 2", RECHAIN)).toEqual([false, 3, days.first]);
		expect(await tampered("delete from audit_log", RECHAIN)).toEqual([false, 1, days.first]);
		const renumbered =
			"update audit_log set seq = -seq where seq > 3; update audit_log set seq = -seq - 1 where seq < 0";
		expect(await tampered("delete from audit_log where seq = 3", renumbered, RECHAIN)).toEqual([false, 1, days.first]);
	});

	it("show that a seal was changed, exchanged or removed before others", async () => {
		const last = `day = '${days.last}'`;
		expect(await tampered(`update audit_seal set seq = 5 where ${last}`)).toEqual([false, 4, days.last]);
		expect(await tampered(`update audit_seal set sealed = sealed || 'x' where ${last}`)).toEqual([false, 4, days.last]);
		expect(await tampered(`update audit_seal set ring_id = 'lost' where ${last}`)).toEqual([false, 4, days.last]);
		expect((await tampered(`delete from audit_seal where day = '${days.empty}'`)).slice(0, 1)).toEqual([false]);
		const follow = "update audit_seal s set hash = a.hash from audit_log a where a.seq = s.seq";
		expect(await tampered("update audit_log set about = 'x' where seq = 5", RECHAIN, follow)).toEqual([
			false,
			4,
			days.last,
		]);
	});

	it("do not show what was rewritten today, or with all seals since: an earlier verdict does", async () => {
		expect(await tampered("update audit_log set about = 'x' where seq = 8", RECHAIN)).toEqual([true, null, null]);
		const { sealed_to: before } = await verdict();
		await triggers("disable");
		await exec(`delete from audit_seal where day > '${days.first}'`);
		await triggers("enable");
		expect((await verdict()).sealed_to).toMatchObject({ day: days.first, seq: 3 });
		// the days are unchanged, so they get the same digest again
		expect(await sealAudit(house.db, ring)).toBe(2);
		expect((await verdict()).sealed_to).toEqual(before);
	});

	it("are not sealed over a seal that is not genuine, and no statement of the service changes a seal", async () => {
		for (const statement of ["update audit_seal set seq = 1", "delete from audit_seal", "truncate audit_seal"])
			await expect(exec(statement)).rejects.toThrow("append-only");
		await triggers("disable");
		await exec(
			`delete from audit_seal where day = '${days.last}'; update audit_seal set seq = 2 where day = '${days.empty}'`,
		);
		await triggers("enable");
		await expect(sealAudit(house.db, ring)).rejects.toThrow(
			`The seal of ${days.empty} in the audit log is not genuine`,
		);
		const { rows } = await house.db.query("select count(*)::int as n from audit_seal");
		expect(rows).toEqual([{ n: 2 }]);
	});
});
