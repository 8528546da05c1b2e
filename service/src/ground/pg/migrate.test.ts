import { runner } from "node-pg-migrate";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { until } from "../../../test/processes/child.ts";
import { compare, DatabaseIsNewer, MIGRATIONS_DIR, migrate, migrationState } from "./migrate.ts";

/** Milliseconds; shorter than in the service, so that the test of giving up is short. */
const SHORT_WAIT_MS = 3_500;
/** The lock that earlier builds used. */
const LOCK_ID = "7241865325823964";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

let made = 0;

/** An empty database on the same server while `use` runs. */
async function onEmptyDatabase(use: (url: string, name: string) => Promise<void>): Promise<void> {
	const name = `migrate_${process.pid}_${++made}`;
	await database.db.query(`create database ${name}`);
	try {
		await use(database.url.replace(/@\/[^?]*/, `@/${name}`), name);
	} finally {
		await database.db.query(`drop database ${name} with (force)`);
	}
}

/** A connection of another program. */
async function stranger(url: string): Promise<pg.Client> {
	const client = new pg.Client({ connectionString: url, application_name: "a stranger" });
	client.on("error", () => undefined);
	await client.connect();
	return client;
}

test("a migrated database needs no further migration", async () => {
	const { applied, pending } = await migrationState(database.url);
	expect(pending).toEqual([]);
	expect(applied[0]).toBe("000001_keys");
	expect(await migrate(database.url)).toEqual([]);
});

test("nodes that start together migrate an empty database once, all of them succeed, and no connection of theirs is left", async () => {
	await onEmptyDatabase(async (url, name) => {
		const ran = await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)]);
		// a server's process takes a moment to end after its client has gone
		await until("the connections to be gone", async () => {
			const { rows } = await database.db.query("select from pg_stat_activity where datname = $1", [name]);
			return rows.length === 0;
		});
		expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
		expect((await migrationState(url)).pending).toEqual([]);
	});
});

test("what a newer release added to the database is said, and stops no start", async () => {
	const added = "999998_from_the_future";
	await database.db.query("insert into schema_migration (name, run_on) values ($1, now())", [added]);
	const said: string[] = [];
	expect(await migrate(database.url, { say: (line) => said.push(line) })).toEqual([]);
	expect(said).toEqual([expect.stringContaining(added)]);
	const { applied, pending, ahead } = await migrationState(database.url);
	expect([applied.includes(added), pending, ahead]).toEqual([false, [], [added]]);
	await database.db.query("delete from schema_migration where name = $1", [added]);
});

test("a database from which a newer release took something away is refused, naming the step", async () => {
	const taken = "999999_from_the_future_contract";
	await database.db.query("insert into schema_migration (name, run_on) values ($1, now())", [taken]);
	await expect(migrate(database.url)).rejects.toThrow(DatabaseIsNewer);
	await expect(migrate(database.url)).rejects.toThrow(taken);
	await database.db.query("delete from schema_migration where name = $1", [taken]);
});

test.each([
	{ applied: [], known: ["1_a", "2_b"], state: { applied: [], pending: ["1_a", "2_b"], ahead: [] } },
	{ applied: ["1_a"], known: ["1_a", "2_b"], state: { applied: ["1_a"], pending: ["2_b"], ahead: [] } },
	{ applied: ["1_a", "2_b"], known: ["1_a"], state: { applied: ["1_a"], pending: [], ahead: ["2_b"] } },
	{ applied: ["1_a", "3_c"], known: ["1_a", "2_b"], state: { applied: ["1_a"], pending: ["2_b"], ahead: ["3_c"] } },
	{
		applied: ["1_a", "2_contract"],
		known: ["1_a", "2_contract"],
		state: { applied: ["1_a", "2_contract"], pending: [], ahead: [] },
	},
])("a database with $applied and a build with $known", ({ applied, known, state }) => {
	expect(compare(applied, known)).toEqual(state);
});

test("whoever has the lock of the migrations is named while it is waited for, and when the wait is given up", async () => {
	await onEmptyDatabase(async (url) => {
		const other = await stranger(url);
		await other.query(`select pg_advisory_lock(${LOCK_ID})`);
		const said: string[] = [];
		const waiting = migrate(url, { say: (line) => said.push(line), waitLimitMs: SHORT_WAIT_MS });
		await expect(waiting).rejects.toThrow(
			/"a stranger" of \w+ \(server process \d+, idle\) has held the migration lock/,
		);
		expect(said[0]).toMatch(/^Waiting for the migration lock, which "a stranger"/);
		await other.end();
		expect((await migrate(url)).length).toBeGreaterThan(0);
	});
});

test("whoever has the lock of the migrations and lets go of it is waited for", async () => {
	await onEmptyDatabase(async (url) => {
		const other = await stranger(url);
		await other.query(`select pg_advisory_lock(${LOCK_ID})`);
		const said: string[] = [];
		const waiting = migrate(url, { say: (line) => said.push(line) });
		await until("the wait to be said", () => said.length > 0);
		await other.end();
		expect((await waiting).length).toBeGreaterThan(0);
	});
});

test("a session in the way of a migration's statement is named, lets nobody else wait for long, and is waited for", async () => {
	await onEmptyDatabase(async (url) => {
		const other = await stranger(url);
		const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
		const upToHolds = { direction: "up", count: 7, migrationsTable: "schema_migration", logger } as const;
		await runner({ dbClient: other, dir: MIGRATIONS_DIR, ...upToHolds });
		await other.query("begin");
		await other.query("select count(*) from hold_part"); // the next migration adds a column to it
		const said: string[] = [];
		const waiting = migrate(url, { say: (line) => said.push(line) });
		await until("the stranger to be named", () => said.length > 0);
		const partner = await stranger(url);
		await partner.query("select count(*) from hold_part"); // would hang if the migration were still waiting for its lock
		await partner.end();
		await other.query("rollback");
		expect(await waiting).toContain("000008_part_state");
		expect(said[0]).toMatch(/"a stranger" of \w+ \(server process \d+, idle in transaction\)/);
		await other.end();
	});
});

test("a migration that waits for others can be called off", async () => {
	await onEmptyDatabase(async (url) => {
		const other = await stranger(url);
		await other.query(`select pg_advisory_lock(${LOCK_ID})`);
		const off = new AbortController();
		const waiting = migrate(url, { signal: off.signal });
		off.abort(new Error("called off"));
		await expect(waiting).rejects.toThrow("called off");
		await other.end();
	});
});

test("an empty database is brought to the migrations of a backup and no further, and later to this build's", async () => {
	await onEmptyDatabase(async (url) => {
		const { applied } = await migrationState(database.url);
		const upTo = applied.filter((name) => !name.startsWith("graphile_worker")).slice(0, -1);
		const ran = await migrate(url, { upTo });
		expect(ran.slice(0, -1)).toEqual(upTo); // the migrations of the jobs come last
		expect((await migrationState(url)).pending).toHaveLength(1);
		expect(await migrate(url, { upTo })).toEqual([]);
		expect(await migrate(url)).toHaveLength(1);
	});
});
