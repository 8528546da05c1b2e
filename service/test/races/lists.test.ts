import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStockEngine } from "../../src/assembly/engine.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import { voidShipmentById } from "../../src/inventory/orders/change-named.ts";
import { CombineShipments, ListOwnOrders, ListShipments, PlaceOrder } from "../../src/inventory/orders/contract.ts";
import type { OrderReply } from "../../src/inventory/orders/order-reply.ts";
import type { ShipmentReply } from "../../src/inventory/orders/shipment-reply.ts";
import { Products, Receipts, Summary } from "../../src/inventory/stock/contract.ts";
import { openCoaWorld, pdfOf } from "../contract/coa-world.ts";
import { orderBody, warehouseOf } from "../contract/order-world.ts";
import { type Entries, openWorld, unique, type World } from "../contract/world.ts";
import { LINKS } from "../links.ts";
import { sizeOr } from "../sizes.ts";

/*
 * Readers follow a list from its start while writers change it. When the writers are done, every reader has every row
 * in its final state: those that follow the cursor, with page sizes that split the writers' batches everywhere, one
 * that continues from the last `as_of`, and one that continues from the latest time that it has seen.
 */

/** Page sizes of the readers, one reader each. */
const PAGES = [1, 7, 500] as const;
const WRITERS = 8;
/**
 * Changes of each writer: of receipts, of the catalogue, of boxes. Changes of the catalogue take turns, one import
 * each. In a full run the eight writers make 100,000 changes in total.
 */
const CHANGES = sizeOr(8_200, 12);
const CATALOGUE_CHANGES = sizeOr(400, 6);
const BOX_CHANGES = sizeOr(3_900, 12);
const FEED_CHANGES = sizeOr(2_000, 8);
/** Milliseconds between two rounds of a reader by time. */
const ROUND_MS = 100;
const FORMULAS = 6;

let world: World;
let key: string;
const formulas: string[] = [];
let poolId: number;

beforeAll(async () => {
	world = await openWorld();
	const codes = Array.from({ length: FORMULAS }, (_, n) => `F${n}`);
	const made = await world.has({
		brands: [{ code: "ACME", name: "Acme" }],
		formulas: codes.map((code) => ({ code, name: code, status: "active" })),
		skus: codes.map((code) => ({ sku: code, name: code, kind: "single", components: [{ formula: code, per_kit: 1 }] })),
	});
	formulas.push(...codes.map((code) => made.formulas.get(code) as string));
	const { rows } = await world.db.query<{ id: number }>("select pool_id as id from pool where brand_code = 'ACME'");
	poolId = rows[0]?.id ?? -1;
	key = (await world.key({ brand: "ACME", requestsPerMinute: 1_000_000 })).token;
});
afterAll(() => world.stop());

interface ListOf<Item> {
	readonly items: readonly Item[];
	readonly next_cursor: string;
	readonly has_more: boolean;
	readonly as_of: string;
}
type ReadPage<Item> = (query: { limit: number; cursor?: string; since?: string }) => Promise<{
	readonly data: ListOf<Item>;
}>;

/** How a list is read by time. */
interface ByTime<Item> {
	/** The time of a row that a reader sees. */
	readonly timeOf: (item: Item) => string;
	/** Times from which readers have continued. */
	turns: number;
}

/**
 * Follows the list until it ends after the writers have ended. Returns the rows by name; the last row of a name counts.
 */
async function follow<Item>(
	read: ReadPage<Item>,
	{ limit, nameOf, writing }: { limit: number; nameOf: (item: Item) => string; writing: () => boolean },
): Promise<Map<string, Item>> {
	const known = new Map<string, Item>();
	for (let cursor: string | undefined; ; ) {
		const wrote = writing(); // checked before the page is read: a page read after the last write contains all of them
		const { data } = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
		for (const item of data.items) known.set(nameOf(item), item);
		cursor = data.next_cursor;
		if (!data.has_more && !wrote) return known;
	}
}

/**
 * Like `follow`, but by time: reads what changed since a time, and continues from the last `as_of`, or from the latest
 * time seen.
 */
async function followByTime<Item>(
	read: ReadPage<Item>,
	by: ByTime<Item>,
	{ from, nameOf, writing }: { from: "as_of" | "largest"; nameOf: (item: Item) => string; writing: () => boolean },
): Promise<Map<string, Item>> {
	const known = new Map<string, Item>();
	for (let since: string | undefined; ; by.turns++) {
		const wrote = writing();
		let [asOf, largest] = ["", since ?? ""];
		for (let cursor: string | undefined, more = true; more; ) {
			const filter = { ...(since === undefined ? {} : { since }), ...(cursor === undefined ? {} : { cursor }) };
			const { data } = await read({ limit: 500, ...filter });
			for (const item of data.items) {
				known.set(nameOf(item), item);
				if (by.timeOf(item) > largest) largest = by.timeOf(item);
			}
			[cursor, more, asOf] = [data.next_cursor, data.has_more, data.as_of];
		}
		if (!wrote) return known;
		since = from === "as_of" ? asOf : largest || undefined;
		await setTimeout(ROUND_MS); // each round reads the last ten seconds again
	}
}

/**
 * Runs the writers beside one reader for each page size and for each way of reading by time, and returns the final
 * copies of the readers.
 */
async function beside<Item>(
	changes: number,
	write: (writer: number, change: number) => Promise<unknown>,
	read: ReadPage<Item>,
	nameOf: (item: Item) => string,
	byTime?: ByTime<Item>,
): Promise<Map<string, Item>[]> {
	let writing = true;
	const writers = Array.from({ length: WRITERS }, async (_, writer) => {
		for (let change = 0; change < changes; change++) await write(writer, change);
	});
	const written = Promise.all(writers).finally(() => {
		writing = false;
	});
	const readers = PAGES.map((limit) => follow(read, { limit, nameOf, writing: () => writing }));
	const ways = byTime === undefined ? [] : (["as_of", "largest"] as const);
	const timed = ways.map((from) =>
		followByTime(read, byTime as ByTime<Item>, { from, nameOf, writing: () => writing }),
	);
	const [, ...known] = await Promise.all([written, ...readers, ...timed]);
	if (byTime !== undefined) expect(byTime.turns).toBeGreaterThan(2 * ways.length);
	return known;
}

const LABEL = { carrierCode: "ups", serviceCode: null, trackingNumber: "1Z9" };
const origin = { actor: "operator:test", requestId: null };
const done = (answer: unknown): void => {
	if (isRefusal(answer)) throw new Error(answer.message);
};

describe("A reader who follows the cursor while others write ends with every row", () => {
	it("receipts: lots that come, imports, recounts and quarantines, by the engines of two nodes on the same lots", async () => {
		const lots: string[] = [];
		const node = openStockEngine(world.deps.databaseUrl, {
			catalog: createCatalogCache(),
			timeZone: "UTC",
			links: LINKS,
		});
		const write = async (writer: number, change: number): Promise<void> => {
			const engine = writer % 2 === 0 ? world.deps.engine : node;
			const turn = (writer + change) % 4;
			if (writer === WRITERS - 1 && change % 4 === 0) {
				const imported = [0, 1, 2].map((n) => ({ formula: `F${n}`, batch_number: `I${change}-${n}`, units: 9 }));
				return void (await world.has({ lots: imported.map((lot) => ({ ...lot, brand_code: "ACME" })) }));
			}
			const fgId = lots[(writer * 31 + change * 7) % Math.max(1, lots.length)];
			if (turn < 2 || fgId === undefined) {
				const batchNumber = `B${turn === 0 ? `${writer}-${change}` : change % 5}`;
				const command = { kind: "receive", origin, newFgId: newId(), poolId, expiresOn: null, batchNumber } as const;
				const formulaId = formulas[change % FORMULAS] as string;
				const day = world.day(-(change % 3));
				const answer = await engine.execute({ ...command, formulaId, receivedOn: day, units: 5 + writer });
				done(answer);
				if (!isRefusal(answer)) lots.push(answer.fgId);
			} else if (turn === 2) done(await engine.execute({ kind: "correct", origin, fgId, units: 1, reason: "found" }));
			else await world.quarantine(fgId, 1).catch(() => undefined); // others may have taken its last unit
		};
		const known = await beside(
			CHANGES,
			write,
			({ since: _, ...query }) => world.call(Receipts, key, query),
			({ receipt_id }) => receipt_id,
		);
		await node.close();
		const { rows } = await world.db.query<{ id: string; told: string }>(
			`select r.receipt_id as id, concat_ws(' ', r.received_on, r.units_received, r.units_corrected, l.quarantined) as told
			   from receipt r join lot l using (fg_id) where r.pool_id = $1 order by 1`,
			[poolId],
		);
		expect(rows.length).toBeGreaterThan(CHANGES);
		for (const receipts of known) {
			const told = [...receipts.values()].map((one) => ({
				id: one.receipt_id,
				told: [one.received_on, one.units_received, one.units_corrected, one.units_quarantined].join(" "),
			}));
			expect(told.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(rows);
		}
		const { rows: numbers } = await world.db.query<{ rows: number; numbers: number; last: boolean }>(
			`select count(*) as rows, count(distinct r.version) as numbers, max(r.version) <= e.version as last
			   from receipt r, receipt_epoch e group by e.version`,
		);
		expect(numbers).toEqual([{ rows: numbers[0]?.rows, numbers: numbers[0]?.rows, last: true }]);
		expect(await world.audit()).toEqual([]);
	}, 3_600_000);

	it("products and the summary: SKUs that come, recipes that move to other formulas, formulas that are renamed", async () => {
		// an import has a connection of its own, and the test's pool has four
		const lanes = Array.from({ length: 3 }, () => Promise.resolve());
		const has = (writer: number, entries: Entries): Promise<void> => {
			const lane = writer % lanes.length;
			const turn = (lanes[lane] as Promise<void>).then(async () => void (await world.has(entries)));
			lanes[lane] = turn;
			return turn;
		};
		const write = async (writer: number, change: number): Promise<void> => {
			const code = `F${(writer + change) % FORMULAS}`;
			if (change % 4 === 3) {
				return await has(writer, { formulas: [{ code, name: `${code} ${writer} ${change}`, status: "active" }] });
			}
			const sku = `S${writer}-${change % 4 === 2 ? change - 2 : change}`;
			const components = [{ formula: code, per_kit: 1 + writer }];
			await has(writer, { skus: [{ sku, name: `${sku} ${change}`, kind: "single", components }] });
		};
		type Asked = Parameters<ReadPage<never>>[0];
		const products = ({ since, ...query }: Asked) =>
			world.call(Products, key, since === undefined ? query : { ...query, updated_since: since });
		const summary = ({ since: _, ...query }: Asked) => world.call(Summary, key, query);
		type Told = { name: string; of: string; at: string };
		const asProducts: ReadPage<Told> = async (query) => {
			const { data } = await products(query);
			const told = data.items.map(({ sku, name, components, updated_at }) => ({
				name: sku,
				of: JSON.stringify([name, components]),
				at: updated_at,
			}));
			return { data: { ...data, items: told } };
		};
		const asSummary: ReadPage<Told> = async (query) => {
			const { data } = await summary(query);
			const told = data.items.map(({ formula_id, name, skus }) => ({
				name: formula_id,
				of: JSON.stringify([name, skus]),
				at: "",
			}));
			return { data: { ...data, items: told } };
		};
		const both = beside(CATALOGUE_CHANGES, write, asProducts, ({ name }) => name, { timeOf: ({ at }) => at, turns: 0 });
		// the same writers' changes, read through the other list
		let writing = true;
		const others = PAGES.map((limit) =>
			follow(asSummary, { limit, nameOf: ({ name }) => name, writing: () => writing }),
		);
		const known = await both.finally(() => {
			writing = false;
		});
		const whole = async (read: ReadPage<Told>) =>
			await follow(read, { limit: 500, nameOf: ({ name }) => name, writing: () => false });
		const [allProducts, allFormulas] = [await whole(asProducts), await whole(asSummary)];
		expect(allProducts.size).toBeGreaterThan(CATALOGUE_CHANGES);
		expect(allFormulas.size).toBe(FORMULAS);
		for (const one of known) expect(Object.fromEntries(one)).toEqual(Object.fromEntries(allProducts));
		for (const one of await Promise.all(others)) {
			expect(Object.fromEntries(one)).toEqual(Object.fromEntries(allFormulas));
		}
	}, 3_600_000);

	it("shipments: orders placed, combined, labelled, shipped whole and in parts, held and voided, on the same lots", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 1_000_000 }]);
		const warehouse = warehouseOf(world);
		const deps = { db: world.db, engine: world.deps.engine };
		const place = async (qty: number): Promise<OrderReply> => {
			const { data } = await world.call(Reserve, key, { items: [{ sku, qty }] });
			const headers = { "idempotency-key": unique("cart") };
			return (await world.call(PlaceOrder, key, orderBody(data.reservation_token), { headers })).data;
		};
		const last = new Map<number, OrderReply[]>();
		const shipped = new Map<number, string>();
		const write = async (writer: number, change: number): Promise<void> => {
			const [one, two] = last.get(writer) ?? [];
			const parcel = shipped.get(writer);
			switch (change % 6) {
				case 0:
					return void last.set(writer, [await place(1), await place(3)]);
				case 1: // one box with two orders, and one that nobody will ship
					return void (await world.call(CombineShipments, key, { order_refs: [one?.ref ?? "", two?.ref ?? ""] }));
				case 2:
					done(await world.deps.engine.execute({ kind: "createLabel", orderId: one?.order_id ?? "", ...LABEL }));
					return void shipped.set(writer, (await warehouse.ship([one, two] as OrderReply[])).shipmentId);
				case 3: // each order waits in a box of its own again
					return done(await voidShipmentById(deps, parcel ?? "", origin));
				case 4: // two boxes of one order
					return void shipped.set(writer, (await warehouse.ship(two as OrderReply, { [sku]: 1 })).shipmentId);
				default:
					if (change % 12 === 5) return done(await voidShipmentById(deps, parcel ?? "", origin));
					await warehouse.hold(one as OrderReply);
			}
		};
		const read: ReadPage<ShipmentReply> = ({ since, ...query }) =>
			world.call(ListShipments, key, since === undefined ? query : { ...query, modified_since: since });
		const nameOf = ({ shipment_id }: ShipmentReply): string => shipment_id;
		// the same writers' changes, read through the list of the key's own orders
		const readOrders: ReadPage<OrderReply> = ({ since: _, ...query }) => world.call(ListOwnOrders, key, query);
		const orderId = ({ order_id }: OrderReply): string => order_id;
		let writing = true;
		const mirrors = PAGES.map((limit) => follow(readOrders, { limit, nameOf: orderId, writing: () => writing }));
		const known = await beside(BOX_CHANGES, write, read, nameOf, {
			timeOf: ({ modified_at }) => modified_at,
			turns: 0,
		}).finally(() => {
			writing = false;
		});
		const orders = await follow(readOrders, { limit: 500, nameOf: orderId, writing: () => false });
		expect(orders.size).toBeGreaterThan(WRITERS);
		for (const one of await Promise.all(mirrors)) expect(Object.fromEntries(one)).toEqual(Object.fromEntries(orders));
		const all = await follow(read, { limit: 500, nameOf, writing: () => false });
		const { rows } = await world.db.query<{ boxes: number; numbers: number; changes: number }>(
			`select count(*)::int as boxes, count(distinct modified_seq)::int as numbers, sum(version)::int as changes
			   from shipment where pool_id = $1`,
			[poolId],
		);
		const [told] = rows;
		expect(told).toMatchObject({ boxes: all.size, numbers: all.size });
		expect(told?.changes).toBeGreaterThan(WRITERS * BOX_CHANGES);
		// not only the last state of each box: every change that its reply shows has a number of its own
		for (const one of known) expect(Object.fromEntries(one)).toEqual(Object.fromEntries(all));
		expect(await world.audit()).toEqual([]);
	}, 3_600_000);

	it("the feed: certificates that are issued, corrected, archived and retired", async () => {
		const feed = await openCoaWorld();
		try {
			const { token } = await feed.key({ requestsPerMinute: 1_000_000 });
			const slugs = Array.from({ length: WRITERS }, (_, writer) => `product-${writer}`);
			await feed.has({ products: slugs.map((slug) => ({ slug, name: slug })) });
			const pdf = await pdfOf("any", "any");
			const write = async (writer: number, change: number): Promise<void> => {
				const [slug = "", batchNumber] = [slugs[writer], `B${change - (change % 4)}`];
				if (change % 4 === 0) return await feed.certify({ slug, batchNumber, pdf });
				if (change % 4 === 1) return await feed.certify({ slug, batchNumber, pdf, labName: `Lab ${change}` });
				await feed.set(slug, batchNumber, change % 4 === 2 ? "archived" : "retired");
			};
			type Record = { product: { slug: string }; batch_number: string; updated_at: string };
			const read: ReadPage<Record> = async ({ limit, cursor, since }) => {
				const query = new URLSearchParams({ status: "all", limit: String(limit) });
				if (cursor !== undefined) query.set("cursor", cursor);
				if (since !== undefined) query.set("updated_since", since);
				return (await feed.ask(`/api/partner/v1/coa?${query}`, { token })).json;
			};
			const nameOf = ({ product, batch_number }: Record): string => `${product.slug} ${batch_number}`;
			const known = await beside(FEED_CHANGES, write, read, nameOf, {
				timeOf: ({ updated_at }) => updated_at,
				turns: 0,
			});
			const all = await follow(read, { limit: 500, nameOf, writing: () => false });
			expect(all.size).toBe(WRITERS * Math.ceil(FEED_CHANGES / 4));
			for (const one of known) expect(Object.fromEntries(one)).toEqual(Object.fromEntries(all));
		} finally {
			await feed.stop();
		}
	}, 3_600_000);
});
