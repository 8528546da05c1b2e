/** The longest reference of an order, in characters. */
export const MAX_REFERENCE_LENGTH = 200;
/** The longest name of a store or a SKU, in characters. */
export const MAX_NAME_OF_LINE_LENGTH = 200;
/** Kits of one SKU that one order may name; more is an error of the source. */
export const MAX_KITS = 1_000_000;
/** Lines of one report. */
export const MAX_REPORT_LINES = 1_000;
/** The longest note on an exception, in characters. */
export const MAX_NOTE_LENGTH = 1_000;
/** Code points of a reason (operator contract, section 3). */
export const REASON_MAX = 500;
/** The longest reference with its source in front, in characters. */
export const MAX_FULL_REFERENCE_LENGTH = 300;
/** Entries of demand under one reference that one request may name. */
export const MAX_ENTRIES_OF_REFERENCE = 1_000;
