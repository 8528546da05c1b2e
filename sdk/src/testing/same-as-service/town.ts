import type { WorldOptions } from "../types.ts";

/** What a history is about, in the words of the fake and of an import. Histories share nothing of it. */
export interface Town {
	/** Precedes every name. */
	readonly prefix: string;
	readonly brand: string;
	readonly fake: WorldOptions;
	readonly file: object;
	readonly key: TownKey;
}

export interface TownKey {
	readonly bound: boolean;
	readonly sharedPool: boolean;
	readonly maxHeldUnits: number | null;
}

/** Formulas, and units of them in one kit. */
const RECIPES: Readonly<Record<string, readonly (readonly [formula: string, perKit: number])[]>> = {
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
	old: [["FX", 1]],
	fee: [],
};
const FORMULAS = ["F0", "F1", "F2", "FX"];
/** Lots with an expiry date of their own, so that ids decide nothing. Days from now; null: never. */
const LOTS = [
	["F0", 4, true, 1],
	["F0", 6, true, 400],
	["F0", 5, false, 500],
	["F1", 8, true, null],
	["F1", 7, false, 1],
	["F2", 3, true, 2],
	["FX", 9, true, null],
	["F2", 2, true, -3],
] as const;
/** Demand of other channels. */
const PROMISED = [["F1", 3, true]] as const;

const MS_PER_DAY = 86_400_000;
const dayIn = (days: number): string => new Date(Date.now() + days * MS_PER_DAY).toISOString().slice(0, 10);

/** `name`: no other history has it. */
export function makeTown(name: string, key: TownKey): Town {
	const prefix = `${name}-`;
	const brand = `${name}-BRAND`;
	const named = (what: string): string => prefix + what;
	const own = key.bound ? brand : null;
	const lots = LOTS.map(([formula, units, isOwn, days], index) => ({
		formula: named(formula),
		units,
		batchNumber: named(`C-${index}`),
		expiresOn: days === null ? null : dayIn(days),
		brandCode: isOwn ? brand : null,
	}));
	const skus = Object.entries(RECIPES).map(([sku, recipe]) => ({
		sku: named(sku),
		components: recipe.map(([formula, perKit]) => ({ formula: named(formula), perKit })),
	}));
	const formulas = FORMULAS.map((code) => ({
		code: named(code),
		status: code === "FX" ? ("archived" as const) : ("active" as const),
	}));
	const promised = PROMISED.map(([formula, units, isOwn]) => ({
		formula: named(formula),
		units,
		brandCode: isOwn ? brand : null,
	}));
	const { sharedPool, maxHeldUnits } = key;
	return {
		prefix,
		brand,
		key,
		fake: {
			key: { environment: "live", brandCode: own, sharedPool, maxHeldUnits, requestsPerMinute: null },
			formulas,
			skus,
			lots,
			promised,
		},
		file: {
			brands: [{ code: brand, name: brand }],
			formulas: formulas.map((one) => ({ ...one, name: one.code })),
			skus: skus.map(({ sku, components }) => ({
				sku,
				name: sku,
				kind: ["non_physical", "single"][components.length] ?? "kit",
				components: components.map(({ formula, perKit }) => ({ formula, per_kit: perKit })),
			})),
			lots: lots.map(({ formula, units, batchNumber, expiresOn, brandCode }) => ({
				formula,
				brand_code: brandCode,
				batch_number: batchNumber,
				expires_on: expiresOn,
				units,
			})),
			demand: promised.map(({ formula, units, brandCode }) => ({
				formula,
				brand_code: brandCode,
				reference: named("demand"),
				units,
			})),
		},
	};
}
