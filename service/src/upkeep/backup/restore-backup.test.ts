import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract, pack } from "tar-stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../../test/contract/client.ts";
import { placedFor, warehouseOf } from "../../../test/contract/order-world.ts";
import { openWorld, type World } from "../../../test/contract/world.ts";
import { finishGoLive } from "../../../test/golive/finish-golive.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { sizeOr } from "../../../test/sizes.ts";
import { enqueue } from "../../ground/jobs/enqueue.ts";
import { must } from "../../ground/lib/assert.ts";
import { silentLog } from "../../ground/lib/log.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { makeEvidenceRow, nextSignature, outcomeOf } from "../../ground/pg/evidence.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { Reserve } from "../../inventory/holds/contract.ts";
import { ListShipments } from "../../inventory/orders/contract.ts";
import { Products, Receipts } from "../../inventory/stock/contract.ts";
import { createService } from "../../service.ts";
import { verify } from "../ledger/verify.ts";
import { checkArchive, openArchive } from "./open-archive.ts";
import { renewRecovered } from "./renew-recovered.ts";
import { restoreBackup } from "./restore-backup.ts";
import { CARRIED } from "./tables.ts";
import { type BackupSettings, type FileKeeper, writeBackup } from "./write-backup.ts";

/*
 * One world with everything in it, backed up once while its service runs; each test restores the archive, or a modified
 * one, into an empty database of its own.
 */

const JOB = {
	name: "test_job",
	payload: { order: "o" },
	key: "test_job:o",
	afterMs: 3_600_000,
} as const;

let world: World;
let archive: Buffer;
let token: string;
let cursors: Record<"products" | "receipts" | "shipments", string>;
let order: Awaited<ReturnType<typeof placedFor>>["order"];
let evidence: Parameters<typeof outcomeOf>[1];
let files: FileKeeper;
let folder: string;
const paper = Buffer.from("%PDF-1.7 a paper");
const digest = createHash("sha256").update(paper).digest("hex");

/** A folder of files by digest, like that of a room that stores files. */
const keeperOf = (place: string): FileKeeper => ({
	list: async () => [{ digest, size: paper.length }],
	open: async (name) => Readable.from([await readFile(join(place, name))]),
	put: async ({ digest: name }, content) => {
		await writeFile(join(place, name), await buffer(content));
		return false; // a refused archive leaves the file for the next test
	},
	remove: () => Promise.resolve(),
});

const settings = (): BackupSettings => ({ version: "0.0.0-test", files, keyRing: null });

async function backedUp(url: string): Promise<Buffer> {
	const sink = new PassThrough();
	const [, bytes] = await Promise.all([writeBackup(url, sink, settings()), buffer(sink)]);
	return bytes;
}

beforeAll(async () => {
	world = await openWorld();
	folder = await mkdtemp(join(tmpdir(), "holdfast-files-"));
	await writeFile(join(folder, digest), paper);
	files = keeperOf(folder);
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	token = (await world.key({ brand: "ACME" })).token;
	const shipped = await placedFor(world, token);
	await warehouseOf(world).ship(shipped.order);
	({ order } = await placedFor(world, token));
	await warehouseOf(world).hold(order);
	await world.call(Reserve, token, { items: [{ sku: shipped.sku, qty: 1 }], external_ref: 'a\tb\\c"\n' });
	await world.has({ demand: [{ formula: shipped.code, brand_code: null, units: 3, reference: "PO-1" }] });
	await transaction(world.db, (tx) => enqueue(tx, [JOB]));
	cursors = {
		products: (await world.call(Products, token, { limit: 1 })).data.next_cursor,
		receipts: (await world.call(Receipts, token, { limit: 1 })).data.next_cursor,
		shipments: (await world.call(ListShipments, token, { limit: 1 })).data.next_cursor,
	};
	await finishGoLive(world);
	evidence = await leaveEvidence();
	archive = await backedUp(world.deps.databaseUrl);
});
afterAll(async () => {
	await world.stop();
	await rm(folder, { recursive: true });
});

/** A transaction that committed, for a query of its evidence as by a node. */
async function leaveEvidence(): Promise<typeof evidence> {
	const client = await world.db.take();
	try {
		await makeEvidenceRow(client);
		await client.query("begin");
		const signature = nextSignature(client);
		await signature.write(client as unknown as Query);
		await client.query("commit");
		return signature.evidence;
	} finally {
		client.release();
	}
}

/** An empty database into which an archive is restored. */
async function restored(bytes: Buffer): Promise<TestDatabase> {
	const database = await openTestDatabase();
	try {
		const opened = await openArchive(Readable.from([bytes]));
		await restoreBackup(database.url, opened, {
			files,
			withoutWebhooks: false,
			takeKeyRing: () => Promise.resolve(),
			onBytes: () => undefined,
		});
		return database;
	} catch (error) {
		const { rows } = await database.db.query(
			"select from hold union all select from lot union all select from api_key",
		);
		await database.close();
		if (rows.length > 0) throw new Error("a refused archive left rows", { cause: error });
		throw error;
	}
}

const without = (row: Record<string, unknown>, names: readonly string[]) =>
	Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** What a restore renews; everything else is as it was. */
const RENEWED: Partial<Record<(typeof CARRIED)[number], readonly string[]>> = {
	sku: ["version", "updated_at"],
	formula: ["version"],
	api_key: ["version"],
	receipt: ["version"],
	orders: ["version", "modified_seq"],
	shipment: ["version", "modified_seq", "listed_at"],
	sweep_mark: ["swept_to"],
	...Object.fromEntries(
		CARRIED.filter((name) => name.endsWith("_epoch")).map((name) => [name, ["version", "stamp", "at"]] as const),
	),
};

describe("A restored database", () => {
	it("has every row of every table as it was, and is proved by verify", async () => {
		const database = await restored(archive);
		try {
			// the service continues to write these during the backup
			const goesOn = ["epoch_log", "commit_evidence", "series_point", "owned_series"];
			for (const name of CARRIED.filter((one) => !goesOn.includes(one))) {
				const rowsOf = async (db: TestDatabase["db"]) =>
					(await db.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from "${name}" t`)).rows
						.map(({ row }) => JSON.stringify(without(row, RENEWED[name] ?? [])))
						.toSorted();
				expect([name, await rowsOf(database.db)]).toEqual([name, await rowsOf(world.db)]);
			}
			expect(await verify(database.db)).toMatchObject({ ok: true, differences: [] });
		} finally {
			await database.close();
		}
	});

	it("answers a cursor of before with everything that comes after it, also what was changed in the time that was lost", async () => {
		const database = await restored(archive);
		const { config } = world.deps;
		const service = await createService({ ...config, databaseUrl: database.url }, { log: silentLog() });
		const client = createClient(Number(new URL((await service.start()).api).port));
		try {
			const [products, receipts, shipments] = await Promise.all([
				client.call(Products, token, { cursor: cursors.products }),
				client.call(Receipts, token, { cursor: cursors.receipts }),
				client.call(ListShipments, token, { cursor: cursors.shipments }),
			]);
			const all = {
				products: (await world.call(Products, token, {})).data.items.length,
				receipts: (await world.call(Receipts, token, {})).data.items.length,
				shipments: (await world.call(ListShipments, token, {})).data.items.length,
			};
			expect(all.shipments).toBeGreaterThan(1);
			expect([products.data.items.length, receipts.data.items.length, shipments.data.items.length]).toEqual([
				all.products,
				all.receipts,
				all.shipments,
			]);
		} finally {
			client.close();
			await service.dispose();
			await database.close();
		}
	});

	it("gives no number, no version of an order and no id again that was given in the time that was lost", async () => {
		const database = await restored(archive);
		try {
			const before = await world.db.query<{ name: string; version: number }>(EPOCHS);
			const after = await database.db.query<{ name: string; version: number }>(EPOCHS);
			expect(after.rows.map(({ name }) => name)).toEqual(before.rows.map(({ name }) => name));
			for (const [i, { name, version }] of after.rows.entries())
				expect([name, version > (before.rows[i]?.version ?? 0) + 1_000_000]).toEqual([name, true]);
			const { rows } = await database.db.query<{ version: number }>("select version from orders where order_id = $1", [
				order.order_id,
			]);
			expect(rows[0]?.version).toBe(order.version + 1 + 1_000); // put on hold since it was read
			const { rows: pools } = await database.db.query<{ pool: number; seq: number }>(
				`insert into pool (brand_code, name) values ('NEXT', 'Next') returning pool_id as pool, (select max(seq) from unit_move) as seq`,
			);
			const { rows: last } = await world.db.query<{ pool: number }>("select max(pool_id) as pool from pool");
			expect(pools[0]?.pool).toBeGreaterThan(last[0]?.pool ?? 0);
		} finally {
			await database.close();
		}
	});

	it("says of a transaction that committed before the backup that it did, and of a later one that it did not", async () => {
		const database = await restored(archive);
		try {
			expect(await outcomeOf(database.db, evidence)).toBe("committed");
			expect(await outcomeOf(database.db, { ...evidence, attempt: evidence.attempt + 1 })).toBe("rolled back");
		} finally {
			await database.close();
		}
	});

	it("does the jobs that were not done, and has the files", async () => {
		await rm(join(folder, digest));
		const database = await restored(archive);
		try {
			expect(await readFile(join(folder, digest))).toEqual(paper);
			const { rows } = await database.db.query(
				`select t.identifier as name, j.key, j.payload -> 'data' as data, j.run_at > now() as waits
				   from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id`,
			);
			expect(rows).toEqual([{ name: JOB.name, key: JOB.key, data: JOB.payload, waits: true }]);
		} finally {
			await database.close();
		}
	});

	it("renews the same in a database that went back in another way", async () => {
		const database = await restored(archive);
		try {
			const before = await database.db.query<{ name: string; version: number }>(EPOCHS);
			expect(await renewRecovered(database.db, { withoutWebhooks: false })).toBe(null);
			const after = await database.db.query<{ name: string; version: number }>(EPOCHS);
			expect(after.rows.filter(({ version }, i) => version <= (before.rows[i]?.version ?? 0))).toEqual([]);
			expect(await verify(database.db)).toMatchObject({ ok: true });
		} finally {
			await database.close();
		}
	});

	it("can be backed up again, and restored from that", async () => {
		const first = await restored(archive);
		const second = await restored(await backedUp(first.url));
		try {
			expect(await verify(second.db)).toMatchObject({ ok: true });
			expect(await outcomeOf(second.db, evidence)).toBe("committed");
		} finally {
			await first.close();
			await second.close();
		}
	});
});

const EPOCHS = `select 'catalog' as name, version from catalog_epoch union all select 'demand', version from demand_epoch union all
	select 'keys', version from key_epoch union all select 'shipments', version from shipment_epoch union all
	select 'events', version from event_epoch union all select 'receipts', version from receipt_epoch`;

describe("What is no whole backup is refused, and changes nothing", () => {
	/** The archive with its entries changed. */
	async function changed(change: (name: string, bytes: Buffer) => Buffer | null): Promise<Buffer> {
		const [from, to] = [extract(), pack()];
		Readable.from([archive]).pipe(from as unknown as NodeJS.WritableStream);
		const bytes = buffer(to as unknown as Readable);
		for await (const entry of from) {
			const kept = change(entry.header.name, await buffer(entry as unknown as Readable));
			if (kept !== null) to.entry({ name: entry.header.name, size: kept.length }, kept);
		}
		to.finalize();
		return await bytes;
	}
	const flipped = (bytes: Buffer): Buffer => {
		const copy = Buffer.from(bytes);
		const middle = Math.floor(copy.length / 2);
		copy[middle] = (copy[middle] ?? 0) ^ 0x20;
		return copy;
	};
	const names = async (): Promise<string[]> => {
		const found: string[] = [];
		await changed((name) => {
			found.push(name);
			return null;
		});
		return found;
	};
	const refusal = async (bytes: Buffer): Promise<string> =>
		await restored(bytes).then(
			async (database) => {
				await database.close();
				return "restored";
			},
			(error: Error) => error.message,
		);

	it("an archive that ends anywhere too early", async () => {
		const all = [0, 300, 512, 700, archive.length / 3, archive.length - 5_000, archive.length - 2_048].map(Math.floor);
		const cuts = all.filter((_, i) => i % sizeOr(1, 3) === 0);
		for (const cut of cuts) {
			const half = archive.subarray(0, cut);
			expect([cut, await refusal(half)]).toEqual([cut, expect.stringContaining("damaged")]);
			await expect(checkArchive(Readable.from([half]), () => undefined)).rejects.toThrow("damaged");
		}
	});

	it("an archive in which anything was changed, or taken out", async () => {
		const all = await names();
		expect(all.length).toBeGreaterThan(CARRIED.length);
		const chosen = all.filter((name, i) => i % sizeOr(1, 9) === 0 || !name.startsWith("tables/"));
		const loaded = sizeOr(1, 8); // every n-th of the changed archives is loaded, too
		for (const [i, name] of chosen.entries()) {
			for (const [what, change] of [
				["changed", flipped],
				["taken out", () => null],
			] as const) {
				const bytes = await changed((entry, was) => (entry === name ? change(was) : was));
				await expect(
					checkArchive(Readable.from([bytes]), () => undefined),
					`${name} ${what}`,
				).rejects.toThrow();
				if (i % loaded === 0) expect([name, what, await refusal(bytes)]).not.toEqual([name, what, "restored"]);
			}
		}
	}, 1_800_000);

	it("a backup whose disk is full is given up with the reason, and the database is let go of", async () => {
		let written = 0;
		const full = new Writable({
			write: (bytes: Buffer, _encoding, done) => {
				written += bytes.length;
				done(written > 20_000 ? new Error("ENOSPC: no space left on device, write") : null);
			},
		});
		await expect(writeBackup(world.deps.databaseUrl, full, settings())).rejects.toThrow(
			"The backup could not be written: ENOSPC: no space left on device",
		);
		const { rows } = await world.db.query("select from pg_stat_activity where application_name = 'holdfast backup'");
		expect(rows).toEqual([]);
	});

	it("an archive with a file of another content, or with a name that leads elsewhere", async () => {
		const other = await changed((name, was) => (name.startsWith("files/") ? Buffer.from("another content!") : was));
		expect(await refusal(other)).toContain(`the file ${digest} does not match its digest`);
		const [from, to] = [extract(), pack()];
		Readable.from([archive]).pipe(from as unknown as NodeJS.WritableStream);
		const bytes = buffer(to as unknown as Readable);
		for await (const entry of from) {
			const name = entry.header.name.startsWith("files/") ? "files/../../elsewhere" : entry.header.name;
			const content = await buffer(entry as unknown as Readable);
			to.entry({ name, size: content.length }, content);
		}
		to.finalize();
		expect(await refusal(await bytes)).toContain("is not the name of a file");
	});

	it("something that is no archive at all", async () => {
		expect(await refusal(Buffer.from("hello"))).toContain("not a backup that holdfast made");
		const other = pack();
		other.entry({ name: "backup.json" }, '{"format":"holdfast-backup","format_version":2}');
		other.finalize();
		expect(await refusal(await buffer(other as unknown as Readable))).toContain("A newer Holdfast wrote this backup");
	});

	it("a database in which there is anything already", async () => {
		const opened = await openArchive(Readable.from([archive]));
		await expect(
			restoreBackup(world.deps.databaseUrl, opened, {
				files,
				withoutWebhooks: false,
				takeKeyRing: () => Promise.resolve(),
				onBytes: () => undefined,
			}),
		).rejects.toThrow(/not empty|in use/);
		opened.close();
		expect(must((await world.db.query<{ n: number }>("select count(*) as n from hold")).rows[0], "count").n).toBe(3);
	});
});
