import type { Bucket } from "../../glossary.ts";

/** Finished goods of one formula, one batch number, one pool, one expiry date. All quantities in units. */
export interface Lot extends Record<Bucket, number> {
	/** The contract's `fg_id`. */
	readonly fgId: string;
	readonly formulaId: string;
	readonly poolId: number;
	readonly batchNumber: string;
	/** YYYY-MM-DD, the last day it may be used; null never expires. */
	readonly expiresOn: string | null;
	readonly receivedOn: string;
	/** Came in by receipts. */
	received: number;
	/** Came in (or, negative, went out) by corrections. */
	corrected: number;
	/** It was recalled, and not restored since: none of its units is ever free. */
	recalled: boolean;
}

/** What counting needs to know of a lot. */
export interface Countable {
	readonly expiresOn: string | null;
	/** Free units. */
	readonly available: number;
}

/** What picking needs to know of a lot. */
export interface Pickable extends Countable {
	readonly fgId: string;
	readonly receivedOn: string;
}

/**
 * The one predicate of settlements, section 1: usable today, and until `neededUntil` for what is held longer than a
 * day.
 */
export const inDate = (lot: { readonly expiresOn: string | null }, today: string, neededUntil?: string): boolean =>
	lot.expiresOn === null || (lot.expiresOn >= today && (neededUntil === undefined || lot.expiresOn >= neededUntil));

/**
 * May units that are bound to the lot stay so when their hold is used? Not when it passed its date, or was recalled.
 */
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

/** Do the buckets add up to what came in? The same sum as the CHECK `lot_conserves_units`. */
export const conserves = (lot: Lot): boolean =>
	lot.received + lot.corrected ===
	lot.available + lot.held + lot.allocated + lot.consumed + lot.shipped + lot.quarantined + lot.destroyed;

/** What people leave out of a batch number, as `batch_spelling` of migration 000043 has it. */
const SKIPPED_IN_BATCH = /[ \t\n\r.\-\u00a0\u00ad\u2002\u2003\u2007\u2009\u200b\u202f\u2010-\u2012\u2013\u2014\u2212]/g;

/** A batch number without regard to capitals of a to z, blanks, hyphens and dots: two that agree look like one. */
export const batchSpelling = (batchNumber: string): string =>
	batchNumber.replace(SKIPPED_IN_BATCH, "").replace(/[a-z]/g, (letter) => letter.toUpperCase());
