import type { Bucket } from "../../glossary.ts";

/** Finished goods of one formula, batch number, pool and expiry date. All quantities in units. */
export interface Lot extends Record<Bucket, number> {
	/** The contract's `fg_id`. */
	readonly fgId: string;
	readonly formulaId: string;
	readonly poolId: number;
	readonly batchNumber: string;
	/** YYYY-MM-DD, the last day of use; null: never expires. */
	readonly expiresOn: string | null;
	readonly receivedOn: string;
	/** Units added by receipts. */
	received: number;
	/** Units added (or, if negative, removed) by corrections. */
	corrected: number;
	/** Whether it is recalled and not restored since; none of its units is then ever free. */
	recalled: boolean;
}

export interface Countable {
	readonly expiresOn: string | null;
	readonly available: number;
}

export interface Pickable extends Countable {
	readonly fgId: string;
	readonly receivedOn: string;
}

/**
 * In date: usable today and, if held longer than a day, until `neededUntil`. Everything that asks whether a lot is in
 * date uses this rule (settlements, section 1).
 */
export const inDate = (lot: { readonly expiresOn: string | null }, today: string, neededUntil?: string): boolean =>
	lot.expiresOn === null || (lot.expiresOn >= today && (neededUntil === undefined || lot.expiresOn >= neededUntil));

/** Whether units bound to the lot may leave with their hold: not if the lot is expired or recalled. */
export const isGood = (lot: Pick<Lot, "expiresOn" | "recalled">, today: string): boolean =>
	!lot.recalled && inDate(lot, today);

/** First expired, first out: soonest expiry (none last), then first received, then id (settlements, section 5). */
export function byFefo(a: Pickable, b: Pickable): number {
	if (a.expiresOn !== b.expiresOn) {
		if (a.expiresOn === null) return 1;
		if (b.expiresOn === null) return -1;
		return a.expiresOn < b.expiresOn ? -1 : 1;
	}
	if (a.receivedOn !== b.receivedOn) return a.receivedOn < b.receivedOn ? -1 : 1;
	return a.fgId < b.fgId ? -1 : 1;
}

/** Whether the buckets add up to the units that came in; the same sum as the CHECK `lot_conserves_units`. */
export const conserves = (lot: Lot): boolean =>
	lot.received + lot.corrected ===
	lot.available + lot.held + lot.allocated + lot.consumed + lot.shipped + lot.quarantined + lot.destroyed;

/** Characters that people leave out of a batch number, as in `batch_spelling` of migration 000043. */
const SKIPPED_IN_BATCH = /[ \t\n\r.\-\u00a0\u00ad\u2002\u2003\u2007\u2009\u200b\u202f\u2010-\u2012\u2013\u2014\u2212]/g;

/** A batch number without capitals (a to z only), blanks, hyphens and dots, to find numbers that look alike. */
export const batchSpelling = (batchNumber: string): string =>
	batchNumber.replace(SKIPPED_IN_BATCH, "").replace(/[a-z]/g, (letter) => letter.toUpperCase());
