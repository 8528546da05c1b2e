import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../src/ground/lib/log.ts";
import type { Query } from "../../src/ground/pg/connect.ts";
import { createService, type Service } from "../../src/service.ts";
import { openArchive } from "../../src/upkeep/backup/open-archive.ts";
import { renewRecovered } from "../../src/upkeep/backup/renew-recovered.ts";
import { restoreBackup } from "../../src/upkeep/backup/restore-backup.ts";
import { type FileKeeper, writeBackup } from "../../src/upkeep/backup/write-backup.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type CoaWorld, openCoaWorld, pdfOf } from "../contract/coa-world.ts";
import { placedFor } from "../contract/order-world.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { sizeOr } from "../sizes.ts";

/*
 * A database is restored from a backup whose rows are not stored in the order of their numbers. A reader that read its
 * lists before, and continues with a time, gets everything in its present state.
 */

const CERTIFICATES = sizeOr(1_200, 60);
const ORDERS = 6;

const LISTS = {
	products: { path: "/api/v1/products", since: "updated_since", id: "sku", at: "updated_at" },
	shipments: { path: "/api/v1/shipments", since: "modified_since", id: "shipment_id", at: "modified_at" },
	feed: { path: "/api/partner/v1/coa?status=all", since: "updated_since", id: "batch_number", at: "updated_at" },
} as const;
type ListName = keyof typeof LISTS;
type Item = Readonly<Record<string, unknown>>;

/** A reader's copy, and the times with which it may continue. */
interface Mirror {
	readonly items: Map<string, Item>;
	asOf: string;
	largest: string;
}

const NO_FILES: FileKeeper = {
	list: () => Promise.resolve([]),
	open: () => Promise.reject(new Error("there is no file")),
	put: () => Promise.resolve(true),
	remove: () => Promise.resolve(),
};

let world: CoaWorld;
let database: TestDatabase;
let service: Service;
let token: string;
let addresses: { readonly api: string; readonly coa: string };
const before = {} as Record<ListName, Mirror>;

const newMirror = (): Mirror => ({ items: new Map(), asOf: "", largest: "" });
/** The same list, read by another reader. */
const copyOf = ({ items, ...times }: Mirror): Mirror => ({ items: new Map(items), ...times });

/** Reads a list from a time to its end, in pages of seven, into the reader's copy. */
async function read(name: ListName, api: string, coa: string, mirror: Mirror, since?: string): Promise<Mirror> {
	const { path, since: filter, id, at } = LISTS[name];
	for (let cursor: string | undefined, more = true; more; ) {
		const url = new URL(path, name === "feed" ? coa : api);
		url.searchParams.set("limit", "7");
		if (since !== undefined) url.searchParams.set(filter, since);
		if (cursor !== undefined) url.searchParams.set("cursor", cursor);
		const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
		expect(reply.status).toBe(200);
		const { data } = (await reply.json()) as {
			data: { items: Item[]; next_cursor: string; has_more: boolean; as_of: string };
		};
		for (const item of data.items) {
			mirror.items.set(String(item[id]), item);
			if (String(item[at]) > mirror.largest) mirror.largest = String(item[at]);
		}
		[cursor, more, mirror.asOf] = [data.next_cursor, data.has_more, data.as_of];
	}
	return mirror;
}

/** Moves younger rows to lower pages of the table. */
async function scramble(db: Query): Promise<void> {
	for (const [table, number] of [
		["certificate", "version"],
		["sku", "version"],
		["shipment", "modified_seq"],
	] as const) {
		for (const rest of [1, 0]) {
			await db.query(`update ${table} set ${number} = ${number} where ${number} % 2 = ${rest}`);
			await db.query(`vacuum ${table}`);
		}
	}
}

const skusWith = (perKit: number) =>
	Array.from({ length: 10 }, (_, n) => ({
		sku: `SKU-${n}`,
		name: `SKU ${n}`,
		kind: "single" as const,
		components: [
			{
				formula: "BASE",
				per_kit: perKit,
			},
		],
	}));

beforeAll(async () => {
	world = await openCoaWorld();
	await world.has({
		brands: [{ code: "ACME", name: "Acme" }],
		formulas: [{ code: "BASE", name: "Base", status: "active" }],
		products: [{ slug: "serum", name: "Serum" }],
		skus: skusWith(1),
	});
	({ token } = await world.key({ brand: "ACME", requestsPerMinute: 1_000_000 }));
	const pdf = await pdfOf("serum", "any");
	const batches = Array.from({ length: CERTIFICATES }, (_, n) => `B-${String(n).padStart(4, "0")}`);
	for (const batchNumber of batches) await world.certify({ slug: "serum", batchNumber, pdf });
	for (let order = 0; order < ORDERS; order++) await placedFor(world, token);
	await scramble(world.db);
	const sink = new PassThrough();
	const settings = { version: "0.0.0-test", files: NO_FILES, keyRing: null };
	const [, archive] = await Promise.all([writeBackup(world.deps.databaseUrl, sink, settings), buffer(sink)]);
	// changes that will be lost
	await world.has({ skus: skusWith(10) });
	for (const batchNumber of batches.slice(0, CERTIFICATES / 3)) await world.set("serum", batchNumber, "archived");
	await placedFor(world, token);
	const api = `http://127.0.0.1:${world.port}`;
	for (const name of Object.keys(LISTS) as ListName[]) before[name] = await read(name, api, world.coa, newMirror());

	database = await openTestDatabase();
	const takeKeyRing = () => Promise.resolve();
	const restore = { files: NO_FILES, withoutWebhooks: false, takeKeyRing, onBytes: () => undefined };
	await restoreBackup(database.url, await openArchive(Readable.from([archive])), restore);
	service = await createService({ ...world.deps.config, databaseUrl: database.url }, { log: silentLog() });
	addresses = await service.start();
}, 120_000);
afterAll(async () => {
	await service.dispose();
	await database.close();
	await world.stop();
});

describe.each(["restored from a backup", "recovered in another way"])("A database that was %s", (how) => {
	it.each(Object.keys(LISTS) as ListName[])(
		"%s: a reader that comes back with a time has everything as it is now",
		async (name) => {
			if (how !== "restored from a backup") {
				await scramble(database.db);
				await renewRecovered(database.db, { withoutWebhooks: false });
			}
			const { api, coa } = addresses;
			const now = await read(name, api, coa, newMirror());
			expect(now.items.size).toBeGreaterThan(5);
			for (const from of ["asOf", "largest"] as const) {
				const mirror = await read(name, api, coa, copyOf(before[name]), before[name][from]);
				const known = [...now.items.keys()].map((id) => [id, mirror.items.get(id)]);
				expect(Object.fromEntries(known)).toEqual(Object.fromEntries(now.items));
			}
			before[name] = now;
		},
	);

	it("shows the whole feed with and without a time, and is proved by verify", async () => {
		const { api, coa } = addresses;
		for (const since of [undefined, "1970-01-01T00:00:00Z"]) {
			expect((await read("feed", api, coa, newMirror(), since)).items.size).toBe(CERTIFICATES);
		}
		const { differences } = await verify(database.db);
		expect(differences).toEqual([]);
	});
});
