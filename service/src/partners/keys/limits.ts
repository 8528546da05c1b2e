/** Default rate of a key: requests in any 60 seconds (settlements, section 2). */
export const DEFAULT_REQUESTS_PER_MINUTE = 60;
/** Introspections of one key in any 60 seconds, besides its own rate (settlements, section 7). */
export const INTROSPECTIONS_PER_MINUTE = 10;
/** The highest rate of a key: requests in any 60 seconds. */
export const MAX_REQUESTS_PER_MINUTE = 1_000_000;
/** The highest cap on the units in a key's active holds: a 32-bit number in the database. */
export const MAX_HELD_UNITS = 2_147_483_647;
/** Maximum length of a key's name, in characters. */
export const MAX_KEY_NAME_LENGTH = 200;
/** Maximum length of a partner's name, in characters. */
export const MAX_PARTNER_NAME_LENGTH = 500;
/** Days until a partner's sandbox keys end after a live key is issued (contract, section 8). */
export const SANDBOX_DAYS_AFTER_LIVE = 30;
/** Default number of hours for which both secrets of a rotated key work (settlements, section 3). */
export const DEFAULT_OVERLAP_HOURS = 24;
export const MAX_OVERLAP_DAYS = 30;
export const MAX_OVERLAP_HOURS = MAX_OVERLAP_DAYS * 24;
