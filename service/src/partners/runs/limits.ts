/** Milliseconds for which a write waits for its run to end before it answers 202 (operator contract, section 3). */
export const ANSWER_WITHIN_MS = 2_000;
/** Milliseconds between two polls of a run that another node carries out. */
export const LOOK_AGAIN_MS = 100;
/** Milliseconds for which a renewed lease is valid. */
export const LEASE_MS = 20_000;
/** Milliseconds between two renewals, which also write progress and check whether the run is to stop. */
export const RENEW_EVERY_MS = 2_000;
/** Milliseconds between two searches for runs whose nodes are gone. */
export const TAKE_OVER_EVERY_MS = 5_000;
/** Maximum number of runs taken over by one search. */
export const TAKEN_AT_ONCE = 10;
/**
 * Maximum number of attempts of one step, and milliseconds between them. Losing the database does not count as an
 * attempt.
 */
export const MAX_TRIES = 10;
export const TRY_AGAIN_MS = 1_000;
/** The same for attempts that another transaction kept from a lock: an import may wait an hour for another one. */
export const MAX_LOCK_WAITS = 600;
/**
 * Maximum number of runs whose files this process keeps in memory at a time. Fewer than the connections of runs: each
 * may wait for a lock, and other runs go on.
 */
export const MOST_INPUTS = 2;
/** Seconds after which a request is to be repeated that was one too many. */
export const ASK_AGAIN_SECONDS = 30;
/** Milliseconds that a stopping node waits for its current steps. */
export const STOP_WITHIN_MS = 3_000;
export const RUN_CONNECTIONS = 3;
