import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import type { Query } from "./connect.ts";
import { preparedPage } from "./page.ts";
import { transaction } from "./transaction.ts";

const readParcels = preparedPage<[version: number, colour: string | null]>(
	"select_parcels_of",
	"parcel_epoch",
	"select version, colour from parcel where version > $1 and writer = $3 order by version limit $2",
);

/** The margin of the moment for clocks that step back. */
const CLOCK_MARGIN_MS = 10_000;

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

it("brings the database's time with the rows, and also when there are none", async () => {
	for (const after of [0, 9]) {
		const [before, { rows, asOfMs }, later] = [
			await now(),
			await readParcels(database.db, { after, limit: 5 }, [1]),
			await now(),
		];
		expect(rows).toHaveLength(after === 0 ? 5 : 0);
		expect(before - CLOCK_MARGIN_MS <= asOfMs && asOfMs <= later - CLOCK_MARGIN_MS).toBe(true);
	}
});

describe("The moment of a page", () => {
	const moment = async (): Promise<number> => (await readParcels(database.db, { after: 9, limit: 1 }, [1])).asOfMs;
	const epochMs = async (sql: string, on: Query = database.db): Promise<number> => {
		const { rows } = await on.query<{ ms: number }>(`select floor(extract(epoch from ${sql}) * 1000)::bigint as ms`);
		return rows[0]?.ms ?? Number.NaN;
	};
	/** Lets `work` begin a transaction that takes numbers, calls `meanwhile`, and commits. */
	const whileItTakesNumbers = (meanwhile: (tx: Query) => Promise<void>): Promise<void> =>
		transaction(database.db, async (tx) => {
			await tx.query("select take_numbers_at('parcel_epoch', 1)");
			await meanwhile(tx);
		});

	it("is not later than the times of a change that is not committed yet, however long that takes", async () => {
		await whileItTakesNumbers(async (tx) => {
			const begun = await epochMs("now()", tx);
			await database.db.query("select pg_sleep(0.3)");
			expect(await moment()).toBeLessThanOrEqual(begun - CLOCK_MARGIN_MS);
		});
		expect(await moment()).toBeGreaterThanOrEqual((await epochMs("(select at from parcel_epoch)")) - 1);
	});

	it("is not held up by a transaction that has written elsewhere, nor by one that was rolled back", async () => {
		await expect(whileItTakesNumbers(() => Promise.reject(new Error("rolled back")))).rejects.toThrow("rolled back");
		await transaction(database.db, async (tx) => {
			await tx.query("update parcel set colour = 'blue' where version = 1");
			await database.db.query("select pg_sleep(0.3)");
			const before = await now();
			expect(await moment()).toBeGreaterThanOrEqual(before - CLOCK_MARGIN_MS);
		});
	});

	it("never goes back, and numbers never get an earlier time, when the clock does", async () => {
		await database.db.query("update parcel_epoch set at = now() + interval '1 hour'");
		const ahead = await epochMs("(select at from parcel_epoch)");
		expect(await moment()).toBe(ahead);
		await whileItTakesNumbers(async () => expect(await moment()).toBe(ahead));
		expect(await epochMs("(select at from parcel_epoch)")).toBe(ahead);
	});
});
