import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { noSuch } from "../catalog/find-shelf.ts";
import { deleteDemandOf, replaceDemand, type UnknownCodes } from "./set-demand-sql.ts";

/** Demand accepted elsewhere with no units bound to it; it lowers what can be promised of a shelf. */
export interface Demand {
	/** The formula's code. */
	readonly formula: string;
	readonly brandCode: string | null;
	/** Identifies the demand together with formula and brand. */
	readonly reference: string;
	/** Units; 0 removes it. */
	readonly units: number;
}

export interface Changes {
	readonly created: number;
	readonly changed: number;
	readonly unchanged: number;
}

/**
 * Adds demand or replaces the units of existing demand; no two entries may share formula, brand and reference. Refuses
 * `not_found` for an unknown formula or brand, and then changes nothing.
 */
export async function setDemand(tx: Query, demand: readonly Demand[]): Promise<Changes | Refusal<"not_found">> {
	return await toChanges(tx, (await replaceDemand(tx, demand)).rows);
}

/** The counts of changes, or one refusal for all if a code is unknown. */
export async function toChanges(
	tx: Query,
	[row]: readonly (Changes & UnknownCodes)[],
): Promise<Changes | Refusal<"not_found">> {
	const { created = 0, changed = 0, unchanged = 0, unknownFormula = null, unknownBrand = null } = row ?? {};
	if (unknownFormula !== null) return refuse("not_found", await noSuch(tx, "formulas", unknownFormula));
	if (unknownBrand !== null) return refuse("not_found", await noSuch(tx, "brands", unknownBrand));
	return { created, changed, unchanged };
}

/** Deletes all demand under a reference, of every formula and pool. Returns how many entries were deleted. */
export const clearDemand = async (db: Query, reference: string): Promise<number> => deleteDemandOf(db, reference);
