import type { Holdfast } from "../client/holdfast.ts";
import type { Clock } from "../client/types.ts";
import type { AlertKind, CopyKind } from "./health.ts";
import type { MirrorStore } from "./store.ts";

/**
 * Something that a person should know. `failing`: the last refresh did not succeed; the copy is still shown. `stale`:
 * the copy is too old to be shown. `unauthorized`: the key is refused, nothing is shown. `recovered`: all is well
 * again. The store keeps the last alert. If a mirror cannot read its store, its first alert gives its state, even if
 * all is well: an earlier process may have alerted people to trouble.
 */
export interface MirrorAlert {
	readonly kind: AlertKind;
	/** Since when, by the local clock. */
	readonly since: Date;
	/** What the last refresh threw. */
	readonly error?: Error;
}

/** What all mirrors take. */
export interface MirrorOptions {
	readonly holdfast: Pick<Holdfast, "raw">;
	/** Keeps the copy across a restart: `fileStore(path)`, `memoryStore()`, or your own. */
	readonly store: MirrorStore;
	/** Milliseconds from the beginning of one refresh to that of the next: 240,000 unless given, at least 1,000. */
	readonly everyMs?: number;
	/** Milliseconds after which a copy is no longer given: 600,000 unless given, more than `everyMs`. */
	readonly staleAfterMs?: number;
	/** Called once for each change: page or mail a person. What it throws is ignored. */
	readonly onAlert: (alert: MirrorAlert) => unknown;
	/** The platform's unless given. Ages are measured by it. */
	readonly clock?: Clock;
}

export interface MirrorStatus {
	/** Only a `fresh` mirror gives counts or certificates. `empty`: nothing was read yet. */
	readonly kind: CopyKind;
	/** When the service was asked for the copy, by the local clock; null: nothing was read yet. */
	readonly asOf: Date | null;
	/** What the last refresh or the store threw. */
	readonly lastError?: Error;
	/** Requests that were made since the start of the process, without the client's retries. */
	readonly requests: number;
}

/** How often counts are read, in milliseconds; the contract asks for at least every 5 minutes (limits). */
const EVERY_MS = 240_000;
const MIN_EVERY_MS = 1_000;
const STALE_AFTER_MS = 600_000;
/** The longest time that a timer of the platforms can wait, in milliseconds. */
const MAX_MS = 2_147_483_647;

/** @throws TypeError, RangeError if an option is missing or invalid */
export function checkedPeriods({ holdfast, store, onAlert, ...periods }: MirrorOptions): {
	readonly everyMs: number;
	readonly staleAfterMs: number;
} {
	if (typeof holdfast?.raw !== "object") throw new TypeError("holdfast: expected a client, new Holdfast({…}).");
	if (typeof store?.load !== "function") throw new TypeError("store: expected fileStore(path) or another MirrorStore.");
	if (typeof onAlert !== "function") throw new TypeError("onAlert: expected a function that tells a person.");
	const { everyMs = EVERY_MS, staleAfterMs = STALE_AFTER_MS } = periods;
	if (!(everyMs >= MIN_EVERY_MS && everyMs < MAX_MS)) {
		throw new RangeError(`everyMs is ${everyMs}: expected ${MIN_EVERY_MS} or more milliseconds.`);
	}
	if (!(staleAfterMs > everyMs && staleAfterMs <= MAX_MS)) {
		throw new RangeError(`staleAfterMs is ${staleAfterMs}: expected more than everyMs, which is ${everyMs}.`);
	}
	return { everyMs, staleAfterMs };
}
