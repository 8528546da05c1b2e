/** Maximum length of the reference of an order, in characters. */
export const MAX_REFERENCE_LENGTH = 200;
/** Maximum length of the name of a store or a SKU, in characters. */
export const MAX_NAME_OF_LINE_LENGTH = 200;
/** Maximum kits of one SKU in one order; more is an error of the source. */
export const MAX_KITS = 1_000_000;
/** Maximum number of lines in one report. */
export const MAX_REPORT_LINES = 1_000;
/** Maximum length of a note on an exception, in characters. */
export const MAX_NOTE_LENGTH = 1_000;
/** Maximum length of a reference that includes its source, in characters. */
export const MAX_FULL_REFERENCE_LENGTH = 300;
/** Maximum number of entries of demand under one reference in one request. */
export const MAX_ENTRIES_OF_REFERENCE = 1_000;
