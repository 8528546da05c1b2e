import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../test/house.ts";
import { preparedPage } from "./page.ts";

const readParcels = preparedPage<[version: number, colour: string | null]>(
	"select_parcels_of",
	"select version, colour from parcel where version > $1 and writer = $3 order by version limit $2",
);

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
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
		expect(before <= asOfMs && asOfMs <= later).toBe(true);
	}
});
