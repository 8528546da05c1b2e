import { createHash } from "node:crypto";
import type { Catalog } from "../../src/inventory/catalog/catalog.ts";
import type { Formula, Sku } from "../../src/inventory/catalog/sku.ts";
import type { Caller } from "../../src/partners/http/caller.ts";

/**
 * A small catalogue with one example of everything that the rules distinguish, and keys of every kind. Towns share only
 * the pools.
 */
export interface Town {
	readonly name: string;
	readonly formulas: readonly Formula[];
	readonly skus: readonly Sku[];
	readonly callers: { readonly [K in KeyName]: Caller };
	readonly catalog: Catalog;
	id(what: string): string;
}

/** The pools of a town's lots: the shared one and those of two brands. */
export const POOLS = { shared: 0, ACME: 2, BOLT: 3 } as const;
export type PoolName = keyof typeof POOLS;

export const FORMULA_NAMES = ["F0", "F1", "F2"] as const;
export type FormulaName = (typeof FORMULA_NAMES)[number];
const ARCHIVED = "FX";

/** Recipes: formula and units of it in one kit. */
export const RECIPES: { readonly [sku: string]: readonly (readonly [formula: string, perKit: number])[] } = {
	one: [["F0", 1]],
	pair: [["F1", 2]],
	kit: [
		["F0", 1],
		["F1", 2],
	],
	tik: [
		["F1", 1],
		["F0", 3],
		["F2", 1],
	],
	old: [
		["F0", 1],
		[ARCHIVED, 1],
	],
	bare: [],
	fee: [],
};
export const SKU_NAMES = Object.keys(RECIPES);

export type KeyName = "acme" | "acme2" | "open" | "closed" | "bolt";
/** The keys: their brand, shared access, cap on held units, and partner. */
export const KEYS = {
	acme: { brand: "ACME", shared: true, cap: null, partner: "p1" },
	acme2: { brand: "ACME", shared: true, cap: 9, partner: "p1" },
	open: { brand: null, shared: true, cap: null, partner: "p2" },
	closed: { brand: null, shared: false, cap: null, partner: "p3" },
	bolt: { brand: "BOLT", shared: false, cap: 6, partner: "p4" },
} as const;
export const KEY_NAMES = Object.keys(KEYS) as KeyName[];

/** The same id for the same name; ids are not in the order of creation. */
export function idOf(name: string): string {
	const hex = createHash("md5").update(name).digest("hex");
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function makeTown(name: string): Town {
	const ids = new Map<string, string>();
	const id = (what: string): string => {
		const known = ids.get(what) ?? idOf(`${name}/${what}`);
		ids.set(what, known);
		return known;
	};
	const formulas = [...FORMULA_NAMES, ARCHIVED].map(
		(code): Formula => ({
			formulaId: id(code),
			code: `${name}-${code}`,
			name: code,
			status: code === ARCHIVED ? "archived" : "active",
			version: 0,
		}),
	);
	const byCode = new Map(formulas.map((formula) => [formula.name, formula]));
	const skus = SKU_NAMES.map((code): Sku => {
		const recipe = RECIPES[code] ?? [];
		return {
			sku: `${name}-${code}`,
			name: code,
			slug: null,
			kind: code === "fee" ? "non_physical" : recipe.length === 1 ? "single" : "kit",
			testBehaviour: null,
			components: recipe.map(([formula, perKit]) => ({ formula: byCode.get(formula) as Formula, perKit })),
			updatedAt: "2026-01-01T00:00:00.000Z",
			version: 1,
		};
	});
	const pools = Object.entries(POOLS).map(([brand, poolId]) => ({
		poolId,
		brandCode: brand === "shared" ? null : brand,
		partnerId: null,
	}));
	const catalog: Catalog = {
		version: 1,
		stamp: "the town's",
		skus: new Map(skus.map((sku) => [sku.sku, sku])),
		formulas: new Map(formulas.map((formula) => [formula.formulaId, formula])),
		poolsByBrand: new Map(pools.flatMap((pool) => (pool.brandCode === null ? [] : [[pool.brandCode, pool]]))),
		poolsById: new Map(pools.map((pool) => [pool.poolId, pool])),
	};
	const callers = Object.fromEntries(KEY_NAMES.map((key) => [key, makeCaller(key, id)])) as Town["callers"];
	return { name, formulas, skus, callers, catalog, id };
}

function makeCaller(key: KeyName, id: (what: string) => string): Caller {
	const { brand, shared, cap, partner } = KEYS[key];
	return {
		keyId: id(key),
		pk: `pk_hf_live_${key}`,
		partnerId: id(partner),
		environment: "live",
		brandCode: brand,
		poolId: brand === null ? null : POOLS[brand],
		sharedPool: shared,
		scopes: new Set(["atp.reserve", "atp.release", "atp.consume"]),
		requestsPerMinute: 1_000_000,
		maxHeldUnits: cap,
	};
}
