/** Limits of go-live runs. */

/** Seconds that a drill lasts (operator contract, section 6). */
export const DRILL_SECONDS = 600;
/** Seconds that an unkind hour lasts (operator contract, section 6). */
export const UNKIND_SECONDS = 3_600;
/** Seconds from one look for an event that can be sent unkindly to the next. */
export const UNKIND_EVERY_SECONDS = 5;
/** Approximate number of seconds by which an event of an unkind hour is late. */
export const LATE_SECONDS = 180;
/** Maximum number of requests of a run's key that a run is judged by: the newest. */
export const MOST_REQUESTS = 10_000;
/** Maximum number of characters of bodies that are read for a run: those of the newest requests. */
export const MOST_BODY_CHARACTERS = 32 * 1024 * 1024;
/** Maximum number of looks that are kept of a run: the newest. */
export const MOST_LOOKS = 2_000;
/** Maximum number of attempts to deliver events that a run is judged by: the newest. */
export const MOST_DELIVERIES = 2_000;
/** Maximum number of probes, of drills and of reviews that a run is judged by: the newest. */
export const MOST_OTHERS = 1_000;

/** Maximum number of items of a look, and of the SKUs of a run. */
export const MOST_ITEMS = 500;
/** Maximum characters of a SKU, and of an address, in what a partner shows. */
export const MAX_SKU = 200;
export const MAX_ADDRESS = 2_000;
/** The highest number that a partner may show. */
export const MAX_SHOWN = 2_147_483_647;

/** Seconds between two looks at a status address, and in the minutes in which something changes. */
export const LOOK_EVERY_SECONDS = 300;
export const LOOK_OFTEN_SECONDS = 60;
/** Minutes after a drill, and after a certificate was published for a retirement, in which the run looks often. */
export const OFTEN_AFTER_DRILL_MINUTES = 7;
export const OFTEN_AFTER_PUBLISHING_MINUTES = 20;
/** Seconds from one look that a partner posts to the next one that is kept. */
export const POSTED_EVERY_SECONDS = 15;
/** Milliseconds for one look, from the first byte to the last. */
export const LOOK_WITHIN_MS = 10_000;

/** Seconds from the publication of the run's certificate to its retirement: a partner follows the feed every 5 min. */
export const RETIRE_AFTER_SECONDS = 360;
/** Seconds from a probe to the repeat of its id, so that the partner's reactions to the two can be told apart. */
export const REPEAT_AFTER_SECONDS = 35;

/** Seconds that a node has the steps of a run for itself: longer than they take. */
export const STEPS_WITHIN_SECONDS = 60;
/** Maximum number of runs whose steps a node takes at a time. */
export const MOST_AT_A_TIME = 20;

/** Maximum code points of what a person says about a check, and of a reason (operator contract, section 3). */
export const MAX_WORDS = 2_000;
export const MAX_REASON = 500;
