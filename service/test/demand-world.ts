import { expect } from "vitest";
import { openStockEngine, type StockEngine } from "../src/assembly/engine.ts";
import { must } from "../src/ground/lib/assert.ts";
import { isRefusal } from "../src/ground/lib/refusal.ts";
import type { Database } from "../src/ground/pg/connect.ts";
import { createCatalogCache } from "../src/inventory/catalog/cache.ts";
import { carryOut } from "../src/inventory/demand/carry-out.ts";
import type { DrawIn } from "../src/inventory/demand/draw-units.ts";
import { listExceptions } from "../src/inventory/demand/exceptions-sql.ts";
import { listDemand } from "../src/inventory/demand/list-demand-sql.ts";
import { type Noted, noteCancelled, noteOpenOrder, noteShipped } from "../src/inventory/demand/note-report.ts";
import type { ReconciledOrder } from "../src/inventory/demand/reconcile-order.ts";
import { reconcileStoreStep } from "../src/inventory/demand/reconcile-store.ts";
import { RETRY_BEGINS, retryExceptionsStep } from "../src/inventory/demand/retry-exceptions.ts";
import { removeStore, setStore } from "../src/inventory/demand/set-store.ts";
import type { ListedStore } from "../src/inventory/demand/stores-sql.ts";
import { executeIn } from "./execute-in.ts";
import { openTestDatabase, type TestDatabase } from "./house.ts";
import { LINKS } from "./links.ts";
import { settleTowns } from "./model/settle-town.ts";
import { makeTown, POOLS, type PoolName, type Town } from "./model/town.ts";

export const operator = { actor: "operator:test", requestId: null };
const stockSettings = () => ({ catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
export const drawIn: DrawIn = executeIn;
export const settings = { drawIn };

/** Sets a store and reconciles its pending orders again, as a run of the operator's API does. */
export async function setStoreWhole(db: Database, store: ListedStore) {
	const set = await carryOut(db, (tx) => setStore(tx, store));
	return isRefusal(set) ? set : { isNew: set.isNew, orders: await reconcileOrdersOf(db, store.store) };
}
export async function removeStoreWhole(db: Database, store: string) {
	const removed = await carryOut(db, (tx) => removeStore(tx, store));
	return { removed, orders: removed === true ? await reconcileOrdersOf(db, store) : 0 };
}
async function reconcileOrdersOf(db: Database, store: string): Promise<number> {
	for (let state = { store, after: "", orders: 0 }; ; ) {
		const next = await carryOut(db, (tx) => reconcileStoreStep(tx, settings, state, operator));
		if (isRefusal(next)) throw new Error(next.message);
		if (next === null) return state.orders;
		state = next;
	}
}

/** Retries all open exceptions, in the same way. */
export async function retryAll(db: Database) {
	for (let state = RETRY_BEGINS; ; ) {
		const next = await carryOut(db, (tx) => retryExceptionsStep(tx, settings, state, operator));
		if (isRefusal(next)) throw new Error(next.message);
		if (next === null) return state.retried;
		state = next;
	}
}

/** The n-th minute of the platform's clock. */
export const at = (n: number): Date => new Date(Date.UTC(2026, 10, 1, 0, n));

/** The result of a report; a refusal fails the test. */
export function done(noted: Noted): Omit<ReconciledOrder, "reference"> {
	if (isRefusal(noted)) throw new Error(noted.message);
	const { reference: _, ...rest } = noted as ReconciledOrder;
	return rest;
}

/**
 * A town whose orders come from a label platform: store `acme` sells ACME's stock and then the shared stock, store
 * `bolt` only BOLT's.
 */
export class DemandWorld {
	readonly database: TestDatabase;
	readonly engine: StockEngine;
	#town = makeTown("t0");
	#towns = 0;
	#orders = 0;

	constructor(database: TestDatabase) {
		this.database = database;
		this.engine = openStockEngine(database.url, stockSettings());
	}

	static async open(): Promise<DemandWorld> {
		const world = new DemandWorld(await openTestDatabase());
		await world.move();
		const store = (name: string, brandCode: string, shared: boolean) =>
			setStoreWhole(world.database.db, { store: name, brandCode, shared });
		await store("acme", "ACME", true);
		await store("bolt", "BOLT", false);
		return world;
	}

	async close(): Promise<void> {
		await this.engine.close();
		await this.database.close();
	}

	/** Switches to a town with empty shelves, and to a new order. */
	async move(): Promise<void> {
		this.#town = makeTown(`t${++this.#towns}`);
		await settleTowns(this.database.db, [this.#town]);
		this.newOrder();
	}
	newOrder(): void {
		this.#orders++;
	}

	get town(): Town {
		return this.#town;
	}
	/** The platform's reference of the order in the reports below. */
	get reference(): string {
		return String(this.#orders);
	}
	/** The same reference as in demand and in the ledger. */
	get full(): string {
		return `label:${this.reference}`;
	}

	lines(kits: Record<string, number>) {
		return Object.entries(kits).map(([sku, qty]) => ({ sku: `${this.town.name}-${sku}`, qty }));
	}
	open(n: number, kits: Record<string, number>, store = "acme"): Promise<Noted> {
		const { reference } = this;
		const report = { source: "label", reference, store, modifiedAt: at(n), lines: this.lines(kits) };
		return noteOpenOrder(this.database.db, settings, report);
	}
	shipped(n: number, kits: Record<string, number>, store: string | null = null): Promise<Noted> {
		const { reference } = this;
		const report = { source: "label", reference, store, shippedAt: at(n), lines: this.lines(kits) };
		return noteShipped(this.database.db, settings, report);
	}
	cancelled(n: number): Promise<Noted> {
		const { reference } = this;
		return noteCancelled(this.database.db, settings, { source: "label", reference, modifiedAt: at(n) });
	}

	async receive(name: string, units: number, pool: PoolName, expiresOn: string | null = null, formula = "F0") {
		const { town } = this;
		const shelf = { formulaId: town.id(formula), poolId: POOLS[pool] };
		const lot = { ...shelf, batchNumber: name, expiresOn, receivedOn: null, units };
		const answer = await this.engine.execute({ kind: "receive", origin: operator, newFgId: town.id(name), ...lot });
		expect(isRefusal(answer)).toBe(false);
	}

	/** Available and shipped units of lots, by the lots' names. */
	async lots(...names: string[]): Promise<Record<string, string>> {
		const { rows } = await this.database.db.query<{ fg_id: string; is: string }>(
			"select fg_id, available || '/' || shipped as is from lot where fg_id = any($1::uuid[])",
			[names.map((name) => this.town.id(name))],
		);
		const is = (name: string) => rows.find(({ fg_id }) => fg_id === this.town.id(name))?.is ?? "";
		return Object.fromEntries(names.map((name) => [name, is(name)]));
	}
	async promised(reference = this.full): Promise<string[]> {
		const { items } = await listDemand(this.database.db, { reference }, 100);
		const code = (formula: string) => formula.slice(this.town.name.length + 1);
		return items
			.map(({ source, formula, brandCode, units }) => `${source} ${units} ${code(formula)} ${brandCode}`)
			.sort();
	}
	/** Kind and promised kits / shipped kits / missing units. */
	async exceptions(reference = this.full): Promise<string[]> {
		const { items } = await listExceptions(this.database.db, {}, 10_000);
		return items
			.filter((one) => one.reference === reference)
			.map((one) => `${one.kind} ${one.promisedKits}/${one.shippedKits}/${one.missingUnits}`)
			.sort();
	}
	async exceptionId(): Promise<number> {
		const { items } = await listExceptions(this.database.db, {}, 10_000);
		return must(items.find((one) => one.reference === this.full)?.exceptionId, "an exception");
	}
}
