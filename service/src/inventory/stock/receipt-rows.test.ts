import { runner } from "node-pg-migrate";
import pg from "pg";
import { expect, it } from "vitest";
import { openTestDatabase } from "../../../test/house.ts";
import { openDatabase } from "../../ground/pg/connect.ts";
import { MIGRATIONS_DIR, migrate } from "../../ground/pg/migrate.ts";
import { verify } from "../../upkeep/ledger/verify.ts";

/** The number of migrations before receipts existed. */
const BEFORE = 13;

it("lots that were there before receipts have one each, of the day on which they came, in that order", async () => {
	const server = await openTestDatabase();
	const name = `receipts_${process.pid}`;
	await server.db.query(`create database ${name}`);
	const url = server.url.replace(/@\/[^?]*/, `@/${name}`);
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
	const upTo = { direction: "up", count: BEFORE, migrationsTable: "schema_migration", logger } as const;
	await runner({ dbClient: client, dir: MIGRATIONS_DIR, ...upTo });
	await client.query(`
		insert into formula values ('00000000-0000-7000-8000-000000000001', 'F', 'F', 'active', 0);
		insert into lot (fg_id, formula_id, pool_id, batch_number, received_on, received, corrected, available, held, allocated,
		                 consumed, shipped, quarantined, destroyed)
		select ('00000000-0000-7000-9000-00000000000' || n)::uuid, '00000000-0000-7000-8000-000000000001', 0, 'B' || n,
		       date '2026-03-05' - n, n, -n % 2, n + -n % 2, 0, 0, 0, 0, 0, 0
		  from generate_series(0, 3) n;
		insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, actor)
		select now(), fg_id, 'received', 'available', received, 'receive', 'operator:test' from lot where received > 0
		union all
		select now(), fg_id, 'available', 'corrected', -corrected, 'correct', 'operator:test' from lot where corrected < 0;
	`);
	await client.end();
	expect(await migrate(url)).toContain("000015_receipts");
	const db = openDatabase(url, { max: 1 });
	const { rows } = await db.query(
		`select batch_number, r.received_on, units_received, units_corrected, version from receipt r join lot using (fg_id)
		  order by version`,
	);
	expect(rows).toEqual([
		{ batch_number: "B3", received_on: "2026-03-02", units_received: 3, units_corrected: -1, version: 1 },
		{ batch_number: "B2", received_on: "2026-03-03", units_received: 2, units_corrected: 0, version: 2 },
		{ batch_number: "B1", received_on: "2026-03-04", units_received: 1, units_corrected: -1, version: 3 },
	]);
	expect((await verify(db)).differences).toEqual([]);
	await db.close();
	await server.db.query(`drop database ${name} with (force)`);
	await server.close();
});
