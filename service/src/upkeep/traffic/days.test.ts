import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { insertDay, type LogDay, selectDays } from "./days-sql.ts";
import { dropOldDays, firstKept } from "./drop-old-days.ts";

let database: TestDatabase;
beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(() => database.close());

const KEPT = { live: 30, sandbox: 90 };
const never = new AbortController().signal;
const DAY_MS = 86_400_000;
const dayOf = (ago: number): string => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
const add = (day: LogDay): Promise<void> => transaction(database.db, (tx) => insertDay(tx, day));
const stored = async (): Promise<string[]> =>
	(await selectDays(database.db)).map(({ part, day, state }) => `${part} ${day} ${state}`);
const write = (day: string, sandbox = false) =>
	database.db.query(
		`insert into request_log (last_at, first_at, sandbox, operation, status, count, requests)
		 select t, t, $2, 'check', 200, 1, '[]' from (select $1::date + interval '12 hours' as t) x`,
		[day, sandbox],
	);
const rows = async (): Promise<number> =>
	(await database.db.query<{ rows: number }>("select count(*)::int as rows from request_log")).rows[0]?.rows ?? -1;

describe("A day of the log", () => {
	it("is created once, by however many nodes at the same time", async () => {
		const today = dayOf(0);
		await Promise.all([1, 2, 3].map(() => add({ part: "live", day: today })));
		await add({ part: "sandbox", day: today });
		expect(await stored()).toEqual([`live ${today} attached`, `sandbox ${today} attached`]);
		await write(today);
		await write(today, true);
		expect(await rows()).toBe(2);
	});

	it("takes the rows of its day in UTC, and those of no other", async () => {
		await add({ part: "live", day: "2026-11-26" });
		await write("2026-11-26");
		for (const day of ["2026-11-25", "2026-11-27"]) await expect(write(day)).rejects.toThrow(/no partition/);
	});

	it("is dropped whole when it is older than its environment is kept", async () => {
		for (const part of ["live", "sandbox"] as const) {
			for (const ago of [0, 29, 30, 89, 90]) {
				await add({ part, day: dayOf(ago) });
				await write(dayOf(ago), part === "sandbox");
			}
		}
		expect(await dropOldDays(database.db, KEPT, never)).toBe(4);
		expect(await rows()).toBe(6);
		expect(await stored()).toEqual(
			[
				...[89, 30, 29, 0].map((ago) => `sandbox ${dayOf(ago)} attached`),
				...[29, 0].map((ago) => `live ${dayOf(ago)} attached`),
			].toSorted((a, b) => a.split(" ")[1]?.localeCompare(b.split(" ")[1] ?? "") || a.localeCompare(b)),
		);
	});

	it("is dropped by one node at a time", async () => {
		for (const ago of [40, 41, 42]) await add({ part: "live", day: dayOf(ago) });
		const dropped = await Promise.all([1, 2, 3].map(() => dropOldDays(database.db, KEPT, never)));
		expect(dropped.reduce((sum, one) => sum + one)).toBe(3);
		expect(await stored()).toEqual([]);
	});

	it("that a node left half dropped is dropped by the next", async () => {
		for (const ago of [40, 41]) await add({ part: "live", day: dayOf(ago) });
		const name = `request_log_live_${dayOf(40).replaceAll("-", "")}`;
		await database.db.query(`alter table request_log_live detach partition ${name}`);
		expect(await stored()).toContain(`live ${dayOf(40)} detached`);
		expect(await dropOldDays(database.db, KEPT, never)).toBe(2);
		expect(await stored()).toEqual([]);
	});

	it("is dropped while others read and write the log, and none of them waits for it", async () => {
		await add({ part: "live", day: dayOf(40) });
		await add({ part: "live", day: dayOf(0) });
		const reader = await database.db.take();
		try {
			await reader.query("begin");
			await reader.query("select count(*) from request_log where last_at > now() - interval '1 day'");
			const dropping = dropOldDays(database.db, KEPT, never);
			let done = false;
			void dropping.finally(() => {
				done = true;
			});
			for (let n = 0; n < 20; n++) await write(dayOf(0));
			expect(await rows()).toBe(20);
			await reader.query("commit");
			expect(await dropping).toBe(1);
			expect(done).toBe(true);
		} finally {
			reader.release();
		}
	});
});

describe("The first day that is kept", () => {
	it.each([
		[1, "2026-11-26"],
		[30, "2026-10-28"],
	])("of %i days", (days, first) => expect(firstKept(Date.parse("2026-11-26T23:59:59Z"), days)).toBe(first));
});
