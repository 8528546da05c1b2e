import { SHARED_POOL_ID } from "../glossary.ts";
import { putPartners } from "../keys/put-partners.ts";
import { must } from "../lib/assert.ts";
import { newId } from "../lib/ids.ts";
import type { Query } from "../pg/connect.ts";
import type { BufferEntry, DemandEntry, SkuEntry } from "./entries.ts";
import type { Diff, Existing, Plan } from "./plan.ts";
import * as sql from "./sql.ts";

/** Rows sent in one statement. */
export const ROWS_PER_STATEMENT = 5_000;

/** Ids by natural key, of what there was and what this import made. */
export interface Ids {
	/** Brand code -> pool. The shared pool is not among them. */
	readonly pools: Map<string, number>;
	/** Code -> formula. */
	readonly formulas: Map<string, string>;
}

export type Advance = (rows: number) => void;

/**
 * Writes brands, formulas, products, SKUs and partners. The caller's transaction has locked the catalogue's epoch at `version`;
 * every changed row takes a number of its own above it, and so does every SKU made of a changed formula. Returns the ids.
 */
export async function writeCatalog(
	tx: Query,
	plan: Plan,
	existing: Existing,
	version: number,
	advance: Advance,
): Promise<Ids> {
	const ids: Ids = {
		pools: new Map([...existing.brands].map(([code, { poolId }]) => [code, poolId])),
		formulas: new Map([...existing.formulas].map(([code, { formulaId }]) => [code, formulaId])),
	};
	await writeBrands(tx, plan.brands, ids, advance);
	let last = await writeFormulas(tx, plan.formulas, ids, version, advance);
	for (const some of chunks(touched(plan.products))) {
		await sql.putProducts(tx, ...unzip(some, ({ slug, name }) => [slug, name]));
		advance(some.length);
	}
	last = await writeSkus(tx, plan.skus, ids, last, advance);
	const changed = plan.formulas.changed.map(({ code }) => must(ids.formulas.get(code), code));
	if (changed.length > 0) last += (await sql.renumberSkusOf(tx, changed, last, version)).rowCount ?? 0;
	if (plan.brands.created.length > 0) last += 1; // a new pool is a change, too
	if (last > version) await sql.setCatalogEpoch(tx, last);
	await putPartners(
		tx,
		plan.partners.created.map(({ name }) => name),
	);
	return ids;
}

async function writeBrands(tx: Query, { created, changed }: Plan["brands"], ids: Ids, advance: Advance): Promise<void> {
	if (created.length > 0) {
		const { rows } = await sql.insertBrands(tx, ...unzip(created, ({ code, name }) => [code, name]));
		for (const { code, pool_id } of rows) ids.pools.set(code, pool_id);
	}
	if (changed.length > 0) await sql.renameBrands(tx, ...unzip(changed, ({ code, name }) => [code, name]));
	advance(created.length + changed.length);
}

async function writeFormulas(
	tx: Query,
	diff: Plan["formulas"],
	ids: Ids,
	version: number,
	advance: Advance,
): Promise<number> {
	let last = version;
	for (const some of chunks(touched(diff))) {
		for (const { code } of some) if (!ids.formulas.has(code)) ids.formulas.set(code, newId());
		await sql.putFormulas(tx, {
			ids: some.map(({ code }) => must(ids.formulas.get(code), code)),
			codes: some.map(({ code }) => code),
			names: some.map(({ name }) => name),
			statuses: some.map(({ status }) => status),
			versions: some.map(() => ++last),
		});
		advance(some.length);
	}
	return last;
}

async function writeSkus(tx: Query, diff: Plan["skus"], ids: Ids, after: number, advance: Advance): Promise<number> {
	let last = after;
	const existed = new Set(diff.changed);
	for (const some of chunks(touched(diff))) {
		await sql.putSkus(tx, {
			skus: some.map(({ sku }) => sku),
			names: some.map(({ name }) => name),
			slugs: some.map(({ product }) => product),
			kinds: some.map(({ kind }) => kind),
			vialSizes: some.map(({ vialSize }) => vialSize),
			testBehaviours: some.map(({ testBehaviour }) => testBehaviour),
			versions: some.map(() => ++last),
		});
		const changed = some.filter((sku) => existed.has(sku)).map(({ sku }) => sku);
		if (changed.length > 0) await sql.deleteRecipes(tx, changed);
		await sql.insertRecipes(tx, recipeColumns(some, ids));
		advance(some.length);
	}
	return last;
}

function recipeColumns(skus: readonly SkuEntry[], ids: Ids): sql.RecipeColumns {
	const columns: sql.RecipeColumns = { skus: [], positions: [], formulaIds: [], perKits: [] };
	for (const { sku, components } of skus) {
		for (const [position, { formula, perKit }] of components.entries()) {
			columns.skus.push(sku);
			columns.positions.push(position);
			columns.formulaIds.push(must(ids.formulas.get(formula), formula));
			columns.perKits.push(perKit);
		}
	}
	return columns;
}

/** Writes promised demand and safety buffers; 0 units remove the row. */
export async function writePromised(tx: Query, { demand, buffers }: Plan, ids: Ids, advance: Advance): Promise<void> {
	for (const some of chunks(touched(demand))) {
		const references = some.map(({ reference }) => reference);
		await sql.putDemand(tx, unitColumns(some, ids), references);
		await sql.deleteDemand(tx, unitColumns(some, ids), references);
		advance(some.length);
	}
	for (const some of chunks(touched(buffers))) {
		await sql.putBuffers(tx, unitColumns(some, ids));
		await sql.deleteBuffers(tx, unitColumns(some, ids));
		advance(some.length);
	}
}

const unitColumns = (entries: readonly (DemandEntry | BufferEntry)[], ids: Ids): sql.UnitColumns => ({
	formulaIds: entries.map(({ formula }) => must(ids.formulas.get(formula), formula)),
	poolIds: entries.map(({ brandCode }) => poolOf(brandCode, ids)),
	units: entries.map(({ units }) => units),
});

/** The pool of a brand, or the shared one. */
export const poolOf = (brandCode: string | null, { pools }: Ids): number =>
	brandCode === null ? SHARED_POOL_ID : must(pools.get(brandCode), brandCode);

const touched = <T>({ created, changed }: Diff<T>): T[] => [...created, ...changed];

const unzip = <T>(entries: readonly T[], pair: (entry: T) => [string, string]): [string[], string[]] => [
	entries.map((entry) => pair(entry)[0]),
	entries.map((entry) => pair(entry)[1]),
];

/** At most `size` entries at a time. */
export function* chunks<T>(entries: readonly T[], size = ROWS_PER_STATEMENT): Generator<T[]> {
	for (let i = 0; i < entries.length; i += size) yield entries.slice(i, i + size);
}
