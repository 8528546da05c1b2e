import {
	SANDBOX_BRAND,
	SANDBOX_MODEL_POOL_ID,
	SANDBOX_SKU_PREFIX,
	SHARED_POOL_ID,
} from "../../../service/src/glossary.ts";
import { toRfc3339 } from "../../../service/src/ground/lib/clock.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import type { Catalog, Pool } from "../../../service/src/inventory/catalog/catalog.ts";
import type { FormulaEntry, SkuEntry } from "../../../service/src/inventory/catalog/entries.ts";
import type { Formula, Sku, SkuKind } from "../../../service/src/inventory/catalog/sku.ts";
import { sandboxCatalog } from "../../../service/src/upkeep/sandbox/test-skus.ts";
import type { SkuOptions, WorldOptions } from "./types.ts";

/** The catalogue of a world, and the ids of its formulas by their codes. */
export interface MadeCatalog {
	readonly catalog: Catalog;
	readonly formulaIds: ReadonlyMap<string, string>;
}

/** The pool of the partner's own sandbox. */
export const SANDBOX_POOL_ID: number = SANDBOX_MODEL_POOL_ID + 1;

/** The pool of a brand; null: the shared stock. `brands`: as in `makeCatalog`. */
export const poolOf = (brandCode: string | null, brands: readonly string[]): number =>
	brandCode === null ? SHARED_POOL_ID : SANDBOX_POOL_ID + 1 + brands.indexOf(brandCode);

export interface CatalogOwner {
	readonly partnerId: string;
	/** The brands that the world names, besides the sandbox's. */
	readonly brands: readonly string[];
}

/** The sandbox's catalogue and that of the options. `now`: milliseconds since 1970. */
export function makeCatalog(world: WorldOptions, { partnerId, brands }: CatalogOwner, now: number): MadeCatalog {
	const { formulas: formulaEntries, skus: skuEntries } = entriesOf(world);
	let version = 0;
	const formulas = new Map<string, Formula>();
	for (const { code, name, status } of formulaEntries) {
		if (formulas.has(code)) throw new Error(`the world has two formulas ${JSON.stringify(code)}`);
		formulas.set(code, { formulaId: newId(), code, name, status, version: ++version });
	}
	const skus = new Map<string, Sku>();
	for (const { sku, name, product, kind, components, testBehaviour } of skuEntries) {
		if (skus.has(sku)) throw new Error(`the world has two SKUs ${JSON.stringify(sku)}`);
		const parts = components.map(({ formula, perKit }) => ({ formula: named(formulas, formula), perKit }));
		const facts = { sku, name, slug: product, kind, testBehaviour, components: parts };
		skus.set(sku, { ...facts, updatedAt: toRfc3339(now), version: ++version });
	}
	const pools: Pool[] = [
		{ poolId: SHARED_POOL_ID, brandCode: null, partnerId: null },
		{ poolId: SANDBOX_MODEL_POOL_ID, brandCode: SANDBOX_BRAND, partnerId: null },
		{ poolId: SANDBOX_POOL_ID, brandCode: SANDBOX_BRAND, partnerId },
		...brands.map((brandCode) => ({ poolId: poolOf(brandCode, brands), brandCode, partnerId: null })),
	];
	const catalog: Catalog = {
		version,
		stamp: "the world's",
		skus,
		formulas: new Map([...formulas.values()].map((formula) => [formula.formulaId, formula])),
		poolsByBrand: new Map(
			pools.flatMap((pool) => (pool.brandCode === null || pool.partnerId !== null ? [] : [[pool.brandCode, pool]])),
		),
		poolsById: new Map(pools.map((pool) => [pool.poolId, pool])),
	};
	return { catalog, formulaIds: new Map([...formulas].map(([code, { formulaId }]) => [code, formulaId])) };
}

/** The value with this name. @throws if the world names something that it does not have */
export function named<T>(all: ReadonlyMap<string, T>, name: string): T {
	const found = all.get(name);
	if (found !== undefined) return found;
	throw new Error(`the world has no ${JSON.stringify(name)}; it has ${[...all.keys()].join(", ") || "nothing"}`);
}

function entriesOf({ stock = {}, formulas = [], skus = [] }: WorldOptions): {
	readonly formulas: readonly FormulaEntry[];
	readonly skus: readonly SkuEntry[];
} {
	const ofStock = Object.keys(stock);
	const sandbox = sandboxCatalog();
	for (const sku of [...ofStock, ...skus.map((one) => one.sku)]) {
		if (sku.startsWith(SANDBOX_SKU_PREFIX))
			throw new Error(`${sku}: the sandbox has its own SKUs; give yours a name that does not begin with SBX-`);
	}
	return {
		formulas: [
			...sandbox.formulas,
			...ofStock.map((code) => ({ code, name: code, status: "active" as const })),
			...formulas.map(({ code, name = code, status = "active" }) => ({ code, name, status })),
		],
		skus: [
			...sandbox.skus,
			...ofStock.map((sku) => entryOf({ sku, components: [{ formula: sku, perKit: 1 }] })),
			...skus.map(entryOf),
		],
	};
}

const entryOf = ({ sku, name = sku, slug, components }: SkuOptions): SkuEntry => ({
	sku,
	name,
	product: slug ?? null,
	kind: kindOf(components.length),
	vialSize: null,
	components,
	testBehaviour: null,
});

const kindOf = (components: number): SkuKind =>
	components === 0 ? "non_physical" : components === 1 ? "single" : "kit";
