/**
 * Milliseconds between two reads of the changes: an object is named at most once a second (operator contract, section
 * 3).
 */
export const LOOK_EVERY_MS = 1_000;
/** Milliseconds between two checks whether listeners are still admitted, and the maximum that one check may take. */
export const CHECK_EVERY_MS = 250;
export const CHECK_WITHIN_MS = 600;
/**
 * Number of reads without any event after which a comment is sent, so that neither side assumes that the connection is
 * dead.
 */
export const QUIET_LOOKS = 10;
/** Maximum number of listeners of one node, and of one operator's listeners on it. */
export const MOST_LISTENERS = 200;
export const MOST_OF_OPERATOR = 20;
/** Maximum bytes that a listener may leave unread; above that, its stream ends. */
export const MOST_UNREAD_BYTES = 256 * 1024;
/** Milliseconds after which a client connects again. */
export const RECONNECT_AFTER_MS = 2_000;
/** Notes of changes are kept for this many of the last numbers; milliseconds between two deletions of older notes. */
export const KEPT_NUMBERS = 100_000;
export const FORGET_EVERY_MS = 60_000;
/** Maximum number of objects that each figure of the overview counts, and of those that it shows. */
export const MOST_COUNTED = 1_000;
export const MOST_SHOWN = 20;
/** Lots are shown from this many days before their last day, and keys from this many days before their end. */
export const LOT_DAYS = 30;
export const KEY_DAYS = 14;
