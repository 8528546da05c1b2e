export const MAX_PDF_BYTES = 20 * 1024 * 1024;
/** Most code points of a batch number, a slug, a vial size or a laboratory's name. */
export const MAX_TEXT_LENGTH = 200;
/** Most products that one request of the feed may name. */
export const MAX_PRODUCTS = 100;
/** Requests to the lookup page from one address in any 60 seconds (settlements, section 8). */
export const LOOKUPS_PER_MINUTE = 30;
/** Requests for PDFs that do not exist, from one address in any 60 seconds. */
export const FILE_MISSES_PER_MINUTE = 30;
/** Most certificates shown for one batch number; a batch usually covers a few products. */
export const MAX_OF_BATCH = 500;
/** Most labels of one kind, and in one PDF. */
export const MAX_COPIES = 1_000;
export const MAX_LABELS = 10_000;
