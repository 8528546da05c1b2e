import type { Origin } from "./move.ts";

/** Units came in: a new lot, or more of one that exists. */
export interface Receive {
	readonly kind: "receive";
	readonly origin: Origin;
	/** Id for the lot if it is new. */
	readonly newFgId: string;
	readonly formulaId: string;
	readonly poolId: number;
	readonly batchNumber: string;
	/** YYYY-MM-DD or null for never; must agree with the lot's when it exists. */
	readonly expiresOn: string | null;
	/** YYYY-MM-DD; null: today in the operator's time zone. */
	readonly receivedOn: string | null;
	/** So many more; or, `inAll`, what the lot lacks of having received so many in all, which may be nothing. */
	readonly units: number | { readonly inAll: number };
}

/** Received units were miscounted: `units` more (or, negative, fewer) are free. */
export interface Correct {
	readonly kind: "correct";
	readonly origin: Origin;
	readonly fgId: string;
	readonly units: number;
	readonly reason: string;
}

/** Quarantined units are good after all. */
export interface Restore {
	readonly kind: "restore";
	readonly origin: Origin;
	readonly fgId: string;
	readonly units: number | "all";
	readonly reason: string;
}

/** Units must not be sold. Free ones go first, then held ones, which are picked again from other lots (decisions.md, section 5). */
export interface TakeOut {
	readonly kind: "quarantine" | "destroy";
	readonly origin: Origin;
	readonly fgId: string;
	readonly units: number | "all";
	readonly reason: string;
	/** Reservation tokens: whose units may be taken when the free ones are not enough. Other holds keep theirs. */
	readonly holders: readonly string[];
}

export interface Received {
	readonly fgId: string;
	/** Units the lot has received in all. */
	readonly received: number;
}

export interface Moved {
	readonly fgId: string;
	/** Units moved. */
	readonly moved: number;
	/** Of held units moved: picked again from other lots. */
	readonly replaced: number;
	/** Of held units moved: lost to their holds, which are now impaired. */
	readonly lost: number;
}

export interface TakenOut extends Moved {
	/** Units asked for that are still where they were, held by holds that the command did not name. */
	readonly left: number;
}
