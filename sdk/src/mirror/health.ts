/** What went wrong since the last refresh that succeeded. */
export interface Trouble {
	readonly kind: "failing" | "unauthorized";
	/** When it began. */
	readonly since: number;
	/** The last error; absent if it happened before a restart. */
	readonly error?: Error;
}

/** What a mirror knows about its copy. All moments are milliseconds of its `SteadyClock`. */
export interface Facts {
	/** When it was started. */
	readonly startedAt: number;
	/** When the data of the copy was requested; null: nothing was read, or the time is not known. */
	readonly readAt: number | null;
	readonly trouble: Trouble | null;
}

/** What may be done with the copy: only a fresh one is shown. */
export type CopyKind = "fresh" | "stale" | "unauthorized" | "empty";

/** The state of a mirror, as alerts report it. */
export type Health = "well" | "failing" | "stale" | "unauthorized";

export type AlertKind = "unauthorized" | "stale" | "recovered" | "failing";

export interface Judgement {
	readonly kind: CopyKind;
	/** When this kind began; for a fresh copy, when it was read. */
	readonly since: number;
	/** Null: it is not known before the first refresh has ended. */
	readonly health: Health | null;
	/** When this health began. */
	readonly healthSince: number;
}

/**
 * The trouble after a refresh that did not succeed. A key that was refused counts as refused until a refresh succeeds.
 */
export function troubleAfter(before: Trouble | null, now: number, error: Error): Trouble {
	const kind = isRefused(error) || before?.kind === "unauthorized" ? "unauthorized" : "failing";
	return { kind, since: before?.kind === kind ? before.since : now, error };
}

/** 401 and 403, even from something between the SDK and the service: nothing may be shown. */
function isRefused({ status }: Error & { readonly status?: unknown }): boolean {
	return status === 401 || status === 403;
}

/** What the facts mean at a moment. */
export function judge(facts: Facts, now: number, staleAfterMs: number): Judgement {
	const { startedAt, readAt, trouble } = facts;
	const staleAt = (readAt ?? startedAt) + staleAfterMs;
	const isOld = now >= staleAt;
	if (trouble?.kind === "unauthorized") {
		return { kind: "unauthorized", since: trouble.since, health: "unauthorized", healthSince: trouble.since };
	}
	const kind = readAt === null ? "empty" : isOld ? "stale" : "fresh";
	const since = readAt === null ? startedAt : isOld ? staleAt : readAt;
	if (now >= staleAlertAt(facts, staleAfterMs)) return { kind, since, health: "stale", healthSince: staleAt };
	if (trouble !== null) return { kind, since, health: "failing", healthSince: trouble.since };
	return { kind, since, health: kind === "fresh" ? "well" : null, healthSince: since };
}

/**
 * When people are to be alerted that the copy is stale, if nothing is read until then. After a restart with an old copy
 * this happens only after the first refresh has failed.
 */
export function staleAlertAt({ startedAt, readAt, trouble }: Facts, staleAfterMs: number): number {
	const from = trouble === null ? Math.max(readAt ?? startedAt, startedAt) : (readAt ?? startedAt);
	return from + staleAfterMs;
}

/**
 * The alert that is due after `told`; null: none. If `told` is null, what people were told is not known. They are then
 * alerted to any health, even that all is well, because they may have been alerted to trouble.
 */
export function alertAfter(told: Health | null, health: Health | null): AlertKind | null {
	if (health === null || health === told) return null;
	return health === "well" ? "recovered" : health;
}
