import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { RENEWALS } from "./renew-sql.ts";
import { selectColumns } from "./sql.ts";
import { CARRIED, LEFT, SEEDED, WRITTEN_BY_ANYONE } from "./tables.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

describe("A backup knows what to do with every table", () => {
	it("every table of the schema is carried, or left with a reason", async () => {
		const { rows } = await selectColumns(database.db);
		expect([...CARRIED, ...Object.keys(LEFT)].toSorted()).toEqual(rows.map(({ table }) => table));
	});

	it("a table is loaded after those that its foreign keys name", async () => {
		const { rows } = await database.db.query<{ from: string; to: string }>(
			`select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint
			  where contype = 'f' and connamespace = 'public'::regnamespace and conrelid <> confrelid`,
		);
		const place = (name: string): number => (CARRIED as readonly string[]).indexOf(name);
		expect(rows.length).toBeGreaterThan(5);
		expect(rows.filter(({ from, to }) => place(from) >= 0 && place(from) <= place(to))).toEqual([]);
	});

	it("tables in which migrations write are told from those whose rows say that the database is used", async () => {
		const filled = [];
		for (const name of CARRIED) {
			const { rows } = await database.db.query(`select from "${name}" limit 1`);
			if (rows.length > 0 && !WRITTEN_BY_ANYONE.includes(name)) filled.push(name);
		}
		expect(filled).toEqual(CARRIED.filter((name) => SEEDED.includes(name)));
	});

	it("the numbers of every list are renewed, and those of its rows with them", async () => {
		const { rows } = await database.db.query<{ name: string }>(
			"select tablename as name from pg_tables where schemaname = 'public' and tablename like '%\\_epoch'",
		);
		const renewed = RENEWALS.flatMap(({ tables }) => tables);
		expect(rows.map(({ name }) => name).filter((name) => !(renewed as string[]).includes(name))).toEqual([]);
		expect(renewed).toEqual(expect.arrayContaining(["sku", "formula", "receipt", "shipment", "orders"]));
	});
});
