/** Milliseconds between two looks: a thing is named at most once a second (operator contract, section 3). */
export const LOOK_EVERY_MS = 1_000;
/** Milliseconds between two checks whether listeners are still admitted, and for which a check may take. */
export const CHECK_EVERY_MS = 250;
export const CHECK_WITHIN_MS = 600;
/** Looks without any event after which a comment is sent, so that neither side takes the connection for dead. */
export const QUIET_LOOKS = 10;
/** Listeners of one node, and of one operator on it. */
export const MOST_LISTENERS = 200;
export const MOST_OF_OPERATOR = 20;
/** Bytes that a listener has not read, above which its stream ends. */
export const MOST_UNREAD_BYTES = 256 * 1024;
/** Milliseconds after which a client connects again. */
export const RECONNECT_AFTER_MS = 2_000;
/** Numbers for which notes of changes are kept, and milliseconds between two deletions of older ones. */
export const KEPT_NUMBERS = 100_000;
export const FORGET_EVERY_MS = 60_000;
/** Things of the overview that are counted at most, and things that are shown of each kind. */
export const MOST_COUNTED = 1_000;
export const MOST_SHOWN = 20;
/** Days before their last day from which lots are shown, and days before their end from which keys are. */
export const LOT_DAYS = 30;
export const KEY_DAYS = 14;
