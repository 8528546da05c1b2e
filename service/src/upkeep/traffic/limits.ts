/** Limits of the log of requests. */

/** Maximum bytes kept of a body of a sandbox key (operator contract, section 5). */
export const MAX_BODY_BYTES = 16 * 1024;
/** Maximum characters kept of a path with its query, of a message, and of any other text. */
export const MAX_URL = 2_000;
export const MAX_MESSAGE = 2_000;
export const MAX_TEXT = 300;
/** Maximum number of items kept of a refused request. */
export const MAX_ITEMS = 50;

/** Maximum number of requests that wait to be written, and of their characters. Beyond it, requests are dropped. */
export const MOST_WAITING = 20_000;
export const MOST_WAITING_CHARACTERS = 16 * 1024 * 1024;
/** The share of them that one key may have, and all requests without a key together. */
export const SHARE_OF_ONE = 1 / 4;
/** Milliseconds that a request waits for others before it is written. */
export const COLLECT_FOR_MS = 500;
/** Milliseconds within which the database must answer a batch. */
export const WRITE_WITHIN_MS = 10_000;
/** Milliseconds until a batch that failed is written again. */
export const AGAIN_AFTER_MS = 1_000;
/** Milliseconds that a stopping service waits for the requests that still wait. */
export const LAST_WRITE_WITHIN_MS = 2_000;

/** Days that rows of sandbox keys are kept, or as many as those of live keys if these are more (section 5). */
export const SANDBOX_DAYS = 90;

/** Maximum milliseconds from the first to the last request of a chunk. */
export const CHUNK_SPAN_MS = 60_000;
/** Number of requests, and of chunks, that one page reads before its place: for a filter by text, and otherwise. */
export const MOST_READ = 20_000;
export const USUALLY_READ = 250;
