import type { Environment } from "../../glossary.ts";
import { NO_STAMP, type Stamped } from "../../ground/lib/stamped.ts";
import { environmentOf, type Formula, type Sku } from "./sku.ts";

/** A brand's own stock, or the shared stock (`brandCode` null). */
export interface Pool {
	readonly poolId: number;
	readonly brandCode: string | null;
	/** The partner whose sandbox it is; null: nobody's. */
	readonly partnerId: string | null;
}

/** The whole catalogue as of one change; immutable. */
export interface Catalog extends Stamped {
	/** Its place in the order of changes. A number can be reused, so only the stamp identifies a state. */
	readonly version: number;
	readonly skus: ReadonlyMap<string, Sku>;
	readonly formulas: ReadonlyMap<string, Formula>;
	/** Pools that are nobody's sandbox; those of partners are found by the keys that are bound to them. */
	readonly poolsByBrand: ReadonlyMap<string, Pool>;
	readonly poolsById: ReadonlyMap<number, Pool>;
}

export const EMPTY_CATALOG: Catalog = {
	version: -1,
	stamp: NO_STAMP,
	skus: new Map(),
	formulas: new Map(),
	poolsByBrand: new Map(),
	poolsById: new Map(),
};

/** Computes a value from a catalogue and recomputes it only for another catalogue. */
export function oncePerCatalog<T>(workOut: (catalog: Catalog) => T): (catalog: Catalog) => T {
	let last: { readonly catalog: Catalog; readonly result: T } | undefined;
	return (catalog) => {
		if (last?.catalog !== catalog) last = { catalog, result: workOut(catalog) };
		return last.result;
	};
}

/**
 * For a message about an unknown SKU: suggests the SKU that was probably meant, trying upper case, lower case and
 * hyphens for spaces and underscores. A few map lookups, however large the catalogue is.
 */
export function spellingHint(catalog: Catalog, sku: string, environment: Environment): string {
	const trimmed = sku.trim();
	const dashed = trimmed.replace(/[\s_]+/g, "-");
	const guesses = [
		trimmed,
		trimmed.toUpperCase(),
		trimmed.toLowerCase(),
		dashed,
		dashed.toUpperCase(),
		dashed.toLowerCase(),
	];
	const meant = guesses.find((guess) => visibleSku(catalog, guess, environment) !== undefined);
	return meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}? SKUs are spelled exactly`;
}

/** The SKU as seen by a key of this environment; SKUs of the other environment are unknown to it. */
export function visibleSku(catalog: Catalog, sku: string, environment: Environment): Sku | undefined {
	return environmentOf(sku) === environment ? catalog.skus.get(sku) : undefined;
}
