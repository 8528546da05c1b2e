import { adviceOn } from "../../ground/lib/nearest.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { SHARED } from "../catalog/find-shelf.ts";
import {
	type LotOfBatch,
	selectBatchesOf,
	selectLotsOfBatch,
	selectMisspeltBatches,
	type TypedBatch,
} from "./find-lot-sql.ts";
import { type ListedLot, selectLot } from "./list-lots-sql.ts";
import type { Lot } from "./lot.ts";
import { RecalledBatches } from "./recalled.ts";
import { selectRecalledLots } from "./sql.ts";

/** Maximum number of lots that a refusal lists. */
const MAX_LISTED = 10;
const FG_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface LotName {
	/** Its `fg_id`, or its batch number as on the label. */
	readonly lot: string;
	/** Code of its formula; absent: any. */
	readonly formula?: string | undefined;
	/** Code of its brand, or `shared` for the shared stock; absent: any brand or the shared stock. */
	readonly brand?: string | undefined;
}

/**
 * The `fg_id` of a lot. A given `fg_id` is returned unchecked. Refuses `not_found` for an unknown batch number, and
 * `invalid_input` for one that several lots have, listing them.
 */
export async function findLot(
	db: Query,
	{ lot, formula, brand }: LotName,
): Promise<string | Refusal<"not_found" | "invalid_input">> {
	if (FG_ID.test(lot)) return lot.toLowerCase();
	const spelled = await selectLotsOfBatch(db, lot);
	const ofBatch = spelled.filter(({ batchNumber }) => batchNumber === lot);
	if (ofBatch.length === 0) return noLotOfBatch(lot, spelled);
	const batch = JSON.stringify(lot);
	const found = ofBatch.filter(
		(one) => (formula ?? one.formula) === one.formula && (brand === undefined || isOfBrand(one, brand)),
	);
	if (found.length === 1 && found[0]) return found[0].fgId;
	if (found.length === 0)
		return refuse("not_found", `No lot of batch ${batch} has that formula and brand. There are ${listed(ofBatch)}.`);
	const several = `${found.length} lots have batch number ${batch}: ${listed(found)}.`;
	return refuse("invalid_input", `${several} ${HOW_TO_NAME_ONE}`);
}

const HOW_TO_NAME_ONE = "Give the `fg_id` of one, or narrow them down by `formula` and `brand_code`.";

const isOfBrand = ({ brandCode }: LotOfBatch, brand: string): boolean => (brandCode ?? SHARED) === brand;

/** Refuses a batch number that no lot has. `spelled`: lots with a similar number. `of`: the scope of the search. */
export function noLotOfBatch(
	batchNumber: string,
	spelled: readonly Pick<LotOfBatch, "batchNumber">[],
	of = "",
): Refusal<"not_found"> {
	const others = spelled.map((one) => one.batchNumber);
	const advice = others.length === 0 ? "." : `: ${adviceOn(batchNumber, others, "")}`;
	return refuse("not_found", `There is no lot with batch number ${JSON.stringify(batchNumber)}${of}${advice}`);
}

/**
 * Refuses with `invalid_input` a new batch number that nearly matches another batch of its formula. A number with a
 * leading or trailing blank is left for the receipt to refuse.
 */
export async function refuseMisspeltBatch(db: Query, batch: TypedBatch): Promise<Refusal<"invalid_input"> | null> {
	if (batch.batchNumber !== batch.batchNumber.trim()) return null;
	const [misspelt] = await selectMisspeltBatches(db, [batch]);
	return misspelt === undefined ? null : refuse("invalid_input", `${nearlyThat(batch.formula, misspelt.meant)}?`);
}

/** The suggestion for a batch number that nearly matches a known one, without the question mark. */
export const nearlyThat = (formula: string, meant: string): string =>
	`There is a batch ${JSON.stringify(meant)} of ${formula}: did you mean that one`;

const listed = (lots: readonly LotOfBatch[]): string =>
	[
		...lots.slice(0, MAX_LISTED).map((lot) => `${lot.fgId} (${lot.formula}, ${whereIs(lot)})`),
		...(lots.length > MAX_LISTED ? [`${lots.length - MAX_LISTED} more`] : []),
	].join(", ");

const whereIs = ({ brandCode, sandboxOf }: LotOfBatch): string =>
	sandboxOf === null ? (brandCode ?? "shared stock") : `${brandCode} of ${sandboxOf}`;

/** One lot with its units by bucket, even if empty. `timeZone` decides whether it is in date. Refuses `not_found`. */
export async function showLot(db: Query, timeZone: string, fgId: string): Promise<ListedLot | Refusal<"not_found">> {
	const { rows } = await selectLot(db, timeZone, fgId);
	return rows[0] ?? refuse("not_found", `There is no lot ${fgId}.`);
}

/** The batch of each of these lots that exists, by its `fg_id`. Locks nothing. */
export const findBatchesOf = async (db: Query, fgIds: readonly string[]) => await selectBatchesOf(db, fgIds);

/** Those of these batches that have a recalled lot in any pool. Locks nothing. */
export async function findRecalledBatches(
	db: Query,
	batches: readonly Pick<Lot, "formulaId" | "batchNumber">[],
): Promise<RecalledBatches> {
	const recalled = new RecalledBatches();
	for (const [fgId, formulaId, batchNumber] of await selectRecalledLots(db, batches, new Set()))
		recalled.add({ fgId, formulaId, batchNumber });
	return recalled;
}
