import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { PrimaryMissing } from "../../ground/lib/no-primary.ts";
import { type Database, openDatabase } from "../../ground/pg/connect.ts";
import { createPrimary, MISSING_AFTER_MS, MISSING_LOOKS } from "../../ground/pg/primary.ts";
import { createKeyCache } from "./key-cache.ts";
import { createRefreshKeys } from "./refresh-keys.ts";

/** A role that may read the keys, but may not connect. */
const ROLE = `full_${process.pid}`;

let database: TestDatabase;
const opened: Database[] = [];

beforeAll(async () => {
	database = await openTestDatabase();
	await database.db.query(`create role ${ROLE} login password 'full'`);
	await database.db.query(`grant select on all tables in schema public to ${ROLE}`);
});
afterEach(async () => {
	await Promise.all(opened.splice(0).map((db) => db.close()));
});
afterAll(async () => {
	await database.db.query(`drop owned by ${ROLE}`);
	await database.db.query(`drop role ${ROLE}`);
	await database.close();
});

/** Keys that are read at an address, and a clock that the test moves. */
function keysAt(url: string) {
	let at = 0;
	const db = openDatabase(url, { max: 1, name: "test keys" });
	opened.push(db);
	const now = (): number => at;
	const primary = createPrimary({ now });
	const keys = createKeyCache(db, { now, primary });
	/** Enough looks, over enough time, for a primary that none of them finds to count as missing. */
	const lookLong = async (): Promise<void> => {
		for (let n = 0; n <= MISSING_LOOKS; n++) {
			await keys.keepFresh().catch(() => undefined);
			at += MISSING_AFTER_MS / MISSING_LOOKS;
		}
	};
	return { primary, keys, lookLong };
}

const asFullRole = (): string => database.url.replace(/\/\/holdfast:[^@]*@/, `//${ROLE}:full@`);

/** An address at which nothing listens. */
async function nowhere(): Promise<string> {
	const server = createServer();
	const port = await new Promise<number>((resolve) =>
		server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
	);
	await new Promise((resolve) => server.close(resolve));
	return `postgres://holdfast@127.0.0.1:${port}/holdfast`;
}

describe("Reads of the keys", () => {
	it("show that there is no primary where nothing listens; then whoever waits for the keys is refused at once", async () => {
		const { primary, keys, lookLong } = keysAt(await nowhere());
		await lookLong();
		expect(primary.isMissing()).toBe(true);
		await expect(keys.refresh()).rejects.toBeInstanceOf(PrimaryMissing);
		// not a waiting one, which would wait forever
		const patience = { mostWaitingOfOne: 1, waitMs: 1_000_000_000 };
		await expect(createRefreshKeys(keys, patience)("a key")).rejects.toBeInstanceOf(PrimaryMissing);
	});

	it("show none at a server that takes no writes, keep the keys fresh, and find it on a new connection once it does", async () => {
		const name = `"${database.name}"`;
		await database.db.query(`alter database ${name} set default_transaction_read_only = on`);
		const { primary, keys, lookLong } = keysAt(database.url);
		try {
			await lookLong();
			expect(primary.isMissing()).toBe(true);
			await keys.refresh();
			expect(keys.fresh()).toBe(true);
		} finally {
			await database.db.query(`alter database ${name} reset default_transaction_read_only`);
		}
		await keys.keepFresh();
		expect(primary.isMissing()).toBe(false);
	});

	it("show nothing at a server that has no room for their connection", async () => {
		await database.db.query(`alter role ${ROLE} connection limit 0`);
		const { primary, keys, lookLong } = keysAt(asFullRole());
		await lookLong();
		await expect(keys.refresh()).rejects.toMatchObject({ code: "53300" });
		expect(primary.isMissing()).toBe(false);
	});

	it("show nothing where their password is wrong", async () => {
		await database.db.query(`alter role ${ROLE} password 'other' connection limit -1`);
		const { primary, keys, lookLong } = keysAt(asFullRole());
		await lookLong();
		await expect(keys.refresh()).rejects.toMatchObject({ code: "28P01" });
		expect(primary.isMissing()).toBe(false);
	});
});
