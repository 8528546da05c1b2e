/** Limits of erasing customers' data. */

/** Maximum number of orders of one transaction: their boxes and the list of orders are locked meanwhile. */
export const ORDERS_AT_ONCE = 200;
/** Pause after each transaction, as a multiple of its duration, to leave the database to partners. */
export const PAUSE_FACTOR = 4;
/** Milliseconds after which a run of the task leaves the rest to the next one. */
export const TASK_RUN_MS = 20_000;
/** Milliseconds between two runs of the task. */
export const ERASE_EVERY_MS = 60_000;

/** Maximum number of orders that one request names, and that one address may have. */
export const MOST_NAMED = 1_000;
export const MOST_OF_ADDRESS = 10_000;
/** Maximum number of orders that one refusal names. */
export const MOST_TOLD = 5;

/** Maximum number of orders of a key that are searched for in the log of requests at once. */
export const SOUGHT_AT_ONCE = 20;
/**
 * Seconds from an erasure until the log of requests is searched once more: a node writes a request about a second after
 * it was answered, and later while the database is away.
 */
export const LOG_SETTLES_SECONDS = 300;
/** Seconds for which only one node handles the orders that it found; another node continues if it dies. */
export const LOOKING_SECONDS = 600;
