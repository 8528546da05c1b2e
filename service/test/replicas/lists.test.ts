import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { isOnReplica, type Reads } from "../../src/ground/pg/reads.ts";
import { ListSkus, PutBrand } from "../../src/inventory/catalog/admin-contract.ts";
import { ListCertificates } from "../../src/inventory/certificates/admin-contract.ts";
import { putCertificates } from "../../src/inventory/certificates/put-certificates.ts";
import { ListHolds } from "../../src/inventory/holds/admin-contract.ts";
import { ListOrders } from "../../src/inventory/orders/admin-contract.ts";
import { ListBoxes } from "../../src/inventory/shipping/box-admin-contract.ts";
import { ListLots, ListMoves } from "../../src/inventory/stock/admin-contract.ts";
import { OPERATORS } from "../../src/partners/admin/operator.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { MakeBackup } from "../../src/upkeep/backup/admin-contract.ts";
import { GetHealth } from "../../src/upkeep/health/health-contract.ts";
import { ExportSection } from "../../src/upkeep/import/export-contract.ts";
import { pdfOf } from "../contract/coa-world.ts";
import { openDataPlace } from "../data-folder.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { Server } from "./server.ts";

/** SKUs of the world, each with a formula, a lot and a certificate. */
const SKUS = 12;
const CODES = Array.from({ length: SKUS }, (_, n) => `R${String(n).padStart(2, "0")}`);

let folder: string;
let primary: Server;
let replica: Server;
/** A node with a replica, and one without, on the same database. */
let house: House;
let plain: House;
let reads: Reads;
let token: string;
let keyId: string;

beforeAll(async () => {
	folder = await openDataPlace("replica-lists");
	primary = await Server.make(join(folder, "primary"));
	replica = await Server.replicaOf(primary, join(folder, "replica"));
	const stay = async (): Promise<void> => undefined;
	const database = { name: "postgres", url: primary.url, db: primary.db, leave: stay, close: stay };
	const store = { HOLDFAST_COA_STORE: join(folder, "papers"), HOLDFAST_COA_URL: "https://coa.example.com" };
	house = await openHouse({ database, env: { ...store, HOLDFAST_DATABASE_READ_URL: replica.url } });
	const { config, reads: own } = house.deps;
	reads = own;
	plain = await openHouse({ database, env: { ...store, HOLDFAST_SECRET_KEYS: must(config.secretKeys, "the ring") } });
	await house.importWorld({
		brands: [{ code: "ACME", name: "Acme" }],
		formulas: CODES.map((code) => ({ code, name: code, status: "active" })),
		products: CODES.map((code) => ({ slug: code.toLowerCase(), name: code })),
		skus: CODES.map((code) => skuOf(code)),
		lots: CODES.map((code) => lotOf(code)),
	});
	({ token, keyId } = await house.mint({ brandCode: "ACME", scopes: SCOPES }));
	await certify(CODES);
	for (const code of CODES.slice(0, 5)) await placeOrder(code);
	await atRest();
});
afterAll(async () => {
	await replica?.resume().catch(() => undefined);
	await house?.close();
	await plain?.close();
	await replica?.close();
	await primary?.close();
	await rm(folder, { recursive: true, force: true });
});

const skuOf = (code: string) => ({
	sku: code,
	name: code,
	product: code.toLowerCase(),
	kind: "single",
	components: [{ formula: code, per_kit: 1 }],
});
const lotOf = (code: string) => ({ formula: code, brand_code: "ACME", batch_number: `B-${code}`, units: 50 });

async function certify(codes: readonly string[]): Promise<void> {
	const { files } = house.deps;
	const bytes = await pdfOf("R", "B");
	const digest = await files.put(bytes);
	const blank = { vialSize: null, testedOn: null, labName: null, purityPct: null, status: "current" } as const;
	const entries = codes.map((code) => ({ ...blank, slug: code.toLowerCase(), batchNumber: `B-${code}` }));
	const sized = entries.map((entry) => ({ ...entry, digest, size: bytes.length }));
	const answer = await putCertificates(house.db, sized, { actor: "operator:test", reissue: true });
	expect(answer).not.toHaveProperty("problems");
}

async function reserve(sku: string): Promise<string> {
	const { json } = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku, qty: 1 }] } });
	return json.data.reservation_token;
}

async function placeOrder(sku: string): Promise<void> {
	const body = {
		reservation_token: await reserve(sku),
		customer: {
			name: "Ada Example",
			email: "ada@example.com",
			ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
		},
	};
	const placed = await house.call(token, "/api/v1/orders", { body, headers: { "idempotency-key": `replica-${sku}` } });
	expect(placed.status).toBe(201);
}

/** Waits until the replica answers, with all that was written and seen so far. */
async function atRest(): Promise<void> {
	await replica.resume();
	const { rows } = await primary.db.query<{ at: Date }>("select clock_timestamp() as at");
	await until("a beat on the replica", async () => {
		const found = await replica.db.query("select from replica_beat where at > $1", [rows[0]?.at]);
		return found.rows.length > 0;
	});
	const owners = [OPERATORS, keyId];
	await until("a replica that answers everybody", () => reads.read(owners, async (on) => isOnReplica(on)));
}

const answered = (): number => reads.state()?.counts.get("replica") ?? 0;

// oxlint-disable-next-line typescript/no-explicit-any -- items of every list
type Page = { readonly items: readonly any[]; readonly next_cursor: string | null; readonly has_more?: boolean };

interface List {
	readonly name: string;
	read(from: House, cursor: string, limit: number): Promise<Page & { readonly as_of?: string }>;
}

const ofPartner = (path: string, of: "api" | "coa" = "api"): List => ({
	name: path,
	async read(from, cursor, limit) {
		const query = `?limit=${limit}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
		const at = must(from.nodes[0], "a node")[of];
		const reply = await fetch(`${at}${path}${query}`, { headers: { authorization: `Bearer ${token}` } });
		const { data, error } = (await reply.json()) as { data?: Page; error?: unknown };
		return must(data, JSON.stringify(error));
	},
});

const ofOperator = (operation: Operation, filter = ""): List => ({
	name: operation.id,
	async read(from, cursor, limit) {
		const { socket } = must(from.nodes[0], "a node");
		const query = `?limit=${limit}${filter}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
		return (await operate({ socket }, operation, { query })).json.data;
	},
});

const LISTS = [
	ofPartner("/api/v1/products"),
	ofPartner("/api/v1/inventory/summary"),
	ofPartner("/api/v1/receipts"),
	ofPartner("/api/v1/shipments"),
	ofPartner("/api/partner/v1/coa", "coa"),
	ofOperator(ListSkus),
	ofOperator(ListLots, "&brand_code=ACME"),
	ofOperator(ListMoves, "&formula=R00"),
	ofOperator(ListHolds),
	ofOperator(ListOrders),
	ofOperator(ListBoxes),
	ofOperator(ListCertificates),
];

/** All pages from a cursor on, and the last cursor. */
async function walk(list: List, from: House, begin = ""): Promise<{ items: unknown[]; cursor: string }> {
	const items: unknown[] = [];
	let cursor = begin;
	for (let more = true; more; ) {
		const page = await list.read(from, cursor, 3);
		items.push(...page.items);
		more = page.has_more ?? page.next_cursor !== null;
		cursor = page.next_cursor ?? cursor;
	}
	return { items, cursor };
}

describe("a node with a replica", () => {
	it.each(LISTS)("answers $name from the replica, as the primary does, page for page", async (list) => {
		const before = answered();
		const { items } = await walk(list, house);
		expect(answered()).toBeGreaterThan(before + items.length / 3 - 1);
		expect(items.length).toBeGreaterThan(0);
		expect(items).toEqual((await walk(list, plain)).items);
	});

	it("decides on the primary: checks, holds and what is read back know what the replica does not", async () => {
		await atRest();
		await replica.pause();
		const before = answered();
		const count = async (sku: string) => {
			const { json } = await house.call(token, "/api/v1/check", { body: { items: [{ sku, qty: 1 }] } });
			return json.data.items[0].available_qty;
		};
		const free = await count("R11");
		const hold = await reserve("R11");
		expect(await count("R11")).toBe(free - 1);
		expect((await house.call(token, `/api/v1/holds/${hold}`)).json.data).toMatchObject({ status: "active" });
		expect(answered()).toBe(before);
		await replica.resume();
	});

	it.each(LISTS.slice(0, 5))("continues $name at a cursor, of whichever server, in the same order", async (list) => {
		await atRest();
		const old = await walk(list, house);
		await replica.pause();
		const code = `N${LISTS.indexOf(list)}`;
		await house.importWorld({
			formulas: [{ code, name: code, status: "active" }],
			products: [{ slug: code.toLowerCase(), name: code }],
			skus: [skuOf(code)],
			lots: [lotOf(code)],
		});
		await certify([code]);
		await placeOrder(code);
		const ahead = await walk(list, plain, old.cursor);
		expect(ahead.items.length).toBeGreaterThan(0);

		// the replica does not show the change: either it answers that there is nothing, or the primary answers
		const behind = await walk(list, house, old.cursor);
		expect([[], ahead.items]).toContainEqual(behind.items);
		// it cannot answer a reader that has seen the change
		const before = answered();
		expect((await walk(list, house, ahead.cursor)).items).toEqual([]);
		expect(answered()).toBe(before);

		await atRest();
		const rest = await walk(list, house, behind.cursor);
		expect([...behind.items, ...rest.items]).toEqual(ahead.items);
		expect((await walk(list, house, ahead.cursor)).items).toEqual([]);
	});

	it("never says of a page that it is newer than what it shows", async () => {
		await atRest();
		await replica.pause();
		const [products] = LISTS;
		const before = await must(products, "a list").read(house, "", 1);
		const { rows } = await primary.db.query<{ at: Date }>("select clock_timestamp() as at");
		await reserve("R10");
		const during = await must(products, "a list").read(house, "", 1);
		expect(Date.parse(before.as_of ?? "")).toBeLessThan(must(rows[0], "a time").at.getTime());
		expect(Date.parse(during.as_of ?? "")).toBeGreaterThanOrEqual(Date.parse(before.as_of ?? ""));
		await replica.resume();
	});

	it("stays before a change that has not ended, however long ago it took its time", async () => {
		const change = await primary.db.take();
		try {
			await change.query("begin");
			const { rows } = await change.query<{ begun: number }>(
				"select floor(extract(epoch from at) * 1000)::bigint as begun from take_numbers_at('shipment_epoch', 1)",
			);
			await atRest();
			const before = answered();
			const { as_of } = await must(LISTS[3], "a list").read(house, "", 1);
			expect(answered()).toBe(before + 1);
			expect(Date.parse(as_of ?? "")).toBeLessThanOrEqual(must(rows[0], "a time").begun);
		} finally {
			await change.query("rollback");
			change.release();
		}
	});

	it("shows operators what they have written, and all of them", async () => {
		await atRest();
		await replica.pause();
		const { socket } = house;
		const made = await operate({ socket }, PutBrand, { params: { code: "NEW" }, body: { name: "New" } });
		expect(made.status).toBe(201);
		const before = answered();
		await must(LISTS[5], "a list").read(house, "", 1);
		expect(answered()).toBe(before);
		await replica.resume();
	});

	it("exports and backs up the state that the replica shows, and says of which moment it is", async () => {
		await atRest();
		await replica.pause();
		const { socket } = house;
		const { rows } = await primary.db.query<{ at: Date }>("select clock_timestamp() as at");
		const before = answered();
		const csv = await operate({ socket }, ExportSection, { params: { section: "skus" } });
		expect(csv.bytes.toString()).toContain("R00");
		expect(answered()).toBeGreaterThanOrEqual(before);
		const backup = await operate({ socket }, MakeBackup, { body: {} });
		expect(backup.status).toBe(200);
		const named = /holdfast-(\S+)\.tar/.exec(String(backup.headers["content-disposition"]))?.[1] ?? "";
		const madeAt = Date.parse(named.replace(/T(\d+)-(\d+)-/, "T$1:$2:"));
		if (reads.state()?.unfit === null) expect(madeAt).toBeLessThan(must(rows[0], "a time").at.getTime());
		await replica.resume();
	});

	it("serves on while the replica is away, and names it to operators", async () => {
		await atRest();
		const { socket } = house;
		const finding = async () => {
			const { findings } = (await operate({ socket }, GetHealth)).json.data;
			return findings.find(({ what }: { what: string }) => what === "replica");
		};
		expect(await finding()).toMatchObject({ ok: true });
		await replica.stop();
		for (const list of LISTS) expect(await walk(list, house)).toEqual(await walk(list, plain));
		await until("a finding", async () => (await finding()).ok === false);
		expect((await fetch(`${house.api}/readyz`)).status).toBe(200);
		await replica.start();
		await atRest();
		expect(await finding()).toMatchObject({ ok: true });
	});
});
