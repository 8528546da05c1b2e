import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { openDatabase } from "./connect.ts";
import { judgeServer, requireDurable, serverProblems } from "./durability.ts";

const SAFE = {
	version_num: 150_000,
	encoding: "UTF8",
	fsync: "on",
	full_page_writes: "on",
	synchronous_commit: "on",
	standby: false,
};

// the server of the test run has all three settings off
let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

test("a server that may lose acknowledged commits is refused, naming each setting, its fix and the variable that accepts the risk", async () => {
	const refused = requireDurable(database.db, false, () => undefined);
	for (const text of [
		"fsync = off",
		"full_page_writes = off",
		"synchronous_commit = off",
		"postgresql.conf",
		"alter system reset synchronous_commit",
		"HOLDFAST_ACCEPT_UNSAFE_DATABASE=true",
	]) {
		await expect(refused).rejects.toThrow(text);
	}
});

test("an accepted risk is said once for each setting", async () => {
	const said: string[] = [];
	await requireDurable(database.db, true, (line) => said.push(line));
	expect(said).toHaveLength(3);
});

test("a setting changed for the role or the database alone is seen too", async () => {
	const name = new URL(database.url.replace("@/", "@host/")).pathname.slice(1);
	await database.db.query(`alter database ${name} set synchronous_commit = on`);
	const db = openDatabase(database.url);
	const { unsafe } = await serverProblems(db);
	await db.close();
	expect(unsafe.join()).not.toContain("synchronous_commit = off");
	expect(unsafe).toHaveLength(2);
});

test("synchronous commit may be any value but off", () => {
	for (const synchronous_commit of ["on", "local", "remote_write", "remote_apply"]) {
		expect(judgeServer({ ...SAFE, synchronous_commit })).toEqual({ fatal: [], unsafe: [] });
	}
});

test("a database of another encoding than UTF8 is refused before anything is written to it", async () => {
	const name = `ascii_${process.pid}`;
	await database.db.query(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`);
	const db = openDatabase(database.url.replace(/@\/[^?]*/, `@/${name}`), { max: 1 });
	await expect(requireDurable(db, true, () => undefined)).rejects.toThrow("encoding SQL_ASCII");
	await db.close();
	await database.db.query(`drop database ${name} with (force)`);
});

test("a server older than 15 and a standby are refused whatever the operator accepts", () => {
	expect(judgeServer({ ...SAFE, version_num: 140_012 }).fatal.join()).toContain("PostgreSQL 14");
	expect(judgeServer({ ...SAFE, standby: true }).fatal.join()).toContain("primary");
});
