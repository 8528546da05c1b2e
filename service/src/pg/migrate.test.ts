import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../test/house.ts";
import { DatabaseIsNewer, migrate, migrationState } from "./migrate.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

test("a migrated database needs no further migration", async () => {
	const { applied, pending } = await migrationState(database.url);
	expect(pending).toEqual([]);
	expect(applied[0]).toBe("000001_keys");
	expect(await migrate(database.url)).toEqual([]);
});

test("nodes that start together migrate an empty database once, and all of them succeed", async () => {
	const name = `migrate_${process.pid}`;
	await database.db.query(`create database ${name}`);
	const url = database.url.replace(/@\/[^?]*/, `@/${name}`);
	const ran = await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)]);
	expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
	expect((await migrationState(url)).pending).toEqual([]);
	await database.db.query(`drop database ${name} with (force)`);
});

test("a database that a newer build has migrated is refused, naming what is unknown", async () => {
	await database.db.query("insert into schema_migration (name, run_on) values ('999999_from_the_future', now())");
	await expect(migrate(database.url)).rejects.toThrow(DatabaseIsNewer);
	await expect(migrate(database.url)).rejects.toThrow("999999_from_the_future");
	await database.db.query("delete from schema_migration where name = '999999_from_the_future'");
});
