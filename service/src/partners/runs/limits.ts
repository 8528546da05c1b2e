/** Milliseconds for which a write waits for its run to end before it answers 202 (operator contract, section 3). */
export const ANSWER_WITHIN_MS = 2_000;
/** Milliseconds between two looks at a run that another node carries out. */
export const LOOK_AGAIN_MS = 100;
/** Milliseconds for which a node has a run after it renewed its lease. */
export const LEASE_MS = 20_000;
/** Milliseconds between two renewals, which also write down progress and notice that the run is to stop. */
export const RENEW_EVERY_MS = 2_000;
/** Milliseconds between two looks for runs whose node is gone. */
export const TAKE_OVER_EVERY_MS = 5_000;
/** Runs that one look takes, at most. */
export const TAKEN_AT_ONCE = 10;
/** Attempts of one step, at most, and milliseconds between them. A database that is away is waited for longer. */
export const MAX_TRIES = 10;
export const TRY_AGAIN_MS = 1_000;
/** Milliseconds that a stopping node waits for steps under way. */
export const STOP_WITHIN_MS = 3_000;
/** Connections for runs. */
export const RUN_CONNECTIONS = 3;
