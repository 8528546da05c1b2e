import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { type Database, openDatabase, type Query } from "./connect.ts";
import { lockEpoch, takeNumbers } from "./epoch.ts";
import { preparedPage } from "./page.ts";
import { transaction } from "./transaction.ts";

/** Transactions that write at the same time, and rows of each. */
const WRITERS = 8;
const ROUNDS = 12;
/** More rows than all of them write, so that each read gets all new rows. */
const PAGE = 1_000;

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
	database = await openTestDatabase();
	db = openDatabase(database.url, { max: WRITERS + 1 });
	// a made-up list, created as docs/decisions/0029 describes for migrations
	await db.query("create table parcel_epoch (like key_epoch including all)");
	await db.query("insert into parcel_epoch values (true, 0)");
	await db.query("create table parcel (version bigint primary key, writer integer not null)");
});
afterAll(async () => {
	await db.close();
	await database.close();
});

const readParcels = preparedPage<[version: number]>(
	"select_parcels",
	"parcel_epoch",
	"select version from parcel where version > $1 order by version limit $2",
);

const numberOf = async (on: Query, epoch: string): Promise<number> => {
	const { rows } = await on.query<{ version: number }>(`select version from ${epoch}`);
	return rows[0]?.version ?? Number.NaN;
};

describe("Numbers of an epoch", () => {
	it("a reader that asks for numbers above the last it saw misses no row, however writers overlap", async () => {
		const writing = Array.from({ length: WRITERS }, async (_, writer) => {
			for (let round = 0; round < ROUNDS; round++) {
				await transaction(db, async (tx) => {
					const count = 1 + ((writer + round) % 3);
					const last = await takeNumbers(tx, "parcel_epoch", count);
					await tx.query("insert into parcel select n, $1 from generate_series($2::bigint, $3::bigint) n", [
						writer,
						last - count + 1,
						last,
					]);
				});
			}
		});
		let writes = true;
		const written = Promise.all(writing).then(() => {
			writes = false;
		});
		const seen: number[] = [];
		for (let more = true; more; ) {
			more = writes; // one more read after the last write
			const { rows } = await readParcels(db, { after: seen.at(-1) ?? 0, limit: PAGE }, []);
			seen.push(...rows.map(([version]) => version));
		}
		await written;
		const last = await numberOf(db, "parcel_epoch");
		expect(last).toBeGreaterThanOrEqual(WRITERS * ROUNDS);
		expect(seen).toEqual(Array.from({ length: last }, (_, index) => index + 1));
	});

	it("who locked an epoch keeps everybody else from it until the end, and takes the numbers it turned out to need", async () => {
		const before = await numberOf(db, "parcel_epoch");
		const order: string[] = [];
		let locked = (): void => undefined;
		const isLocked = new Promise<void>((resolve) => {
			locked = resolve;
		});
		const first = transaction(db, async (tx) => {
			expect(await lockEpoch(tx, "parcel_epoch")).toBe(before);
			locked();
			const { rows } = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
			await expect.poll(async () => (await db.query(WAITS_FOR, [rows[0]?.pid])).rowCount).toBe(1);
			order.push("first");
			return await takeNumbers(tx, "parcel_epoch", 5);
		});
		await isLocked;
		const second = transaction(db, async (tx) => {
			const last = await takeNumbers(tx, "parcel_epoch", 1);
			order.push("second");
			return last;
		});
		expect(await Promise.all([first, second])).toEqual([before + 5, before + 6]);
		expect(order).toEqual(["first", "second"]);
	});

	it("are not taken by a transaction that rolls back", async () => {
		const before = await numberOf(db, "parcel_epoch");
		const failing = transaction(db, async (tx) => {
			await takeNumbers(tx, "parcel_epoch", 3);
			throw new Error("no");
		});
		await expect(failing).rejects.toThrow("no");
		expect(await transaction(db, (tx) => takeNumbers(tx, "parcel_epoch", 1))).toBe(before + 1);
	});

	it.each([0, -1])("%s of them cannot be taken: the log of changes stays", async (count) => {
		const logged = async () => (await db.query("select * from epoch_log order by epoch, version")).rows;
		const before = await logged();
		await expect(transaction(db, (tx) => takeNumbers(tx, "key_epoch", count))).rejects.toThrow("at least 1");
		expect(await logged()).toEqual(before);
		expect(before).not.toEqual([]);
	});

	it("each change of promised demand takes one, and its stamp with it", async () => {
		const state = async () => (await db.query("select version, stamp from demand_epoch")).rows[0];
		const before = (await state()) as { version: number; stamp: string };
		await db.query("delete from safety_buffer");
		const after = (await state()) as { version: number; stamp: string };
		expect(after.version).toBe(before.version + 1);
		expect(after.stamp).not.toBe(before.stamp);
	});
});

/** The sessions that wait for a lock of this connection. */
const WAITS_FOR = "select from pg_stat_activity where $1::int = any(pg_blocking_pids(pid))";
