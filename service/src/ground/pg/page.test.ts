import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { openDatabase, type Query } from "./connect.ts";
import { createRaiseTimes } from "./epoch.ts";
import { preparedPage } from "./page.ts";
import { transaction } from "./transaction.ts";

const readParcels = preparedPage<[version: number, colour: string | null]>(
	"select_parcels_of",
	"parcel_epoch",
	"select version, colour from parcel where version > $1 and writer = $3 order by version limit $2",
);

const raise = createRaiseTimes(["parcel_epoch"]);

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
	await database.db.query("create table parcel_epoch (like key_epoch including all)");
	await database.db.query("insert into parcel_epoch (one, version, at) values (true, 9, now() - interval '1 hour')");
	await database.db.query("create table parcel (version bigint primary key, writer integer not null, colour text)");
	await database.db.query(
		"insert into parcel select n, n % 2, case when n % 4 = 0 then 'red' end from generate_series(9, 1, -1) n",
	);
});
afterAll(() => database.close());

const now = async (): Promise<number> => {
	const { rows } = await database.db.query<{ ms: number }>(
		"select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms",
	);
	return rows[0]?.ms ?? Number.NaN;
};

it("brings the rows above a number in their order, and one more than the limit when another page follows", async () => {
	expect((await readParcels(database.db, { after: 2, limit: 2 }, [0])).rows).toEqual([
		[4, "red"],
		[6, null],
		[8, "red"],
	]);
	expect((await readParcels(database.db, { after: 4, limit: 2 }, [0])).rows).toEqual([
		[6, null],
		[8, "red"],
	]);
});

it("brings the time of the epoch with the rows, and also when there are none", async () => {
	for (const after of [0, 9]) {
		const before = await now();
		await database.db.query("update parcel_epoch set at = now() - interval '1 hour'");
		await raise(database.db);
		const { rows, asOfMs } = await readParcels(database.db, { after, limit: 5 }, [1]);
		expect(rows).toHaveLength(after === 0 ? 5 : 0);
		expect(asOfMs).toBeGreaterThanOrEqual(before);
		expect(asOfMs).toBeLessThanOrEqual(await now());
	}
});

describe("The moment of a page", () => {
	const moment = async (): Promise<number> => (await readParcels(database.db, { after: 9, limit: 1 }, [1])).asOfMs;
	/** The time of the next change. */
	const change = async (on: Query): Promise<number> => {
		const { rows } = await on.query<{ ms: number }>(
			"select floor(extract(epoch from at) * 1000)::bigint as ms from take_numbers_at('parcel_epoch', 1)",
		);
		return rows[0]?.ms ?? Number.NaN;
	};
	const putTo = (time: string) => database.db.query(`update parcel_epoch set at = now() + interval '${time}'`);

	it("is not later than a change that is not committed yet, however long that takes, and is raised again after it", async () => {
		await putTo("-1 hour");
		const changedAt = await transaction(database.db, async (tx) => {
			const at = await change(tx);
			await database.db.query("select pg_sleep(0.1)");
			await raise(database.db); // without waiting for the lock
			expect(await moment()).toBeLessThanOrEqual(at);
			return at;
		});
		expect(await moment()).toBe(changedAt);
	});

	it("goes on beside a transaction that has written elsewhere, and after one that was rolled back", async () => {
		await putTo("-1 hour");
		const rolledBack = transaction(database.db, async (tx) => {
			await change(tx);
			throw new Error("rolled back");
		});
		await expect(rolledBack).rejects.toThrow("rolled back");
		await transaction(database.db, async (tx) => {
			await tx.query("update parcel set colour = 'blue' where version = 1");
			const before = await now();
			await raise(database.db);
			expect(await moment()).toBeGreaterThanOrEqual(before);
		});
	});

	it.each(["1 hour", "1 second"])(
		"never goes back, and no change is before it, after the clock went back %s",
		async (by) => {
			await putTo(by);
			const ahead = await moment();
			await raise(database.db);
			expect(await moment()).toBe(ahead);
			expect(await transaction(database.db, change)).toBe(ahead);
			expect(await moment()).toBe(ahead);
		},
	);

	it("is raised at most every few seconds, however many nodes do it", async () => {
		await putTo("-1 second");
		const before = await moment();
		await raise(database.db);
		expect(await moment()).toBe(before);
	});
});

it("raising the times of lists is no change of them: no stamp is renewed, and nothing is logged", async () => {
	const lists = ["catalog_epoch", "certificate_epoch", "key_epoch", "demand_epoch"] as const;
	const read = async () => ({
		epochs: await Promise.all(
			lists.map(async (list) => (await database.db.query(`select version, stamp from ${list}`)).rows),
		),
		log: (await database.db.query("select * from epoch_log order by epoch, version")).rows,
	});
	for (const list of lists) await database.db.query(`update ${list} set at = at - interval '1 hour'`);
	const before = await read();
	const other = openDatabase(database.url); // a statement of this name has another text there
	await createRaiseTimes(lists)(other);
	await other.close();
	expect(await read()).toEqual(before);
	const { rows } = await database.db.query(
		"select from catalog_epoch where at > clock_timestamp() - interval '1 minute'",
	);
	expect(rows).toHaveLength(1);
});

it("a change keeps its time in the epoch, so that a later number has no earlier one", async () => {
	await transaction(database.db, async (tx) => {
		await tx.query("update parcel_epoch set at = now() - interval '1 hour'");
		const { rows } = await tx.query("select list_time('parcel_epoch') as time");
		expect((await tx.query("select at as time from parcel_epoch")).rows).toEqual(rows);
	});
});
