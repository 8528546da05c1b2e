export const MAX_PDF_BYTES = 20 * 1024 * 1024;
/** Maximum code points of a batch number, a slug, a vial size or a laboratory's name. */
export const MAX_TEXT_LENGTH = 200;
/** Maximum number of products that one request of the feed may name. */
export const MAX_PRODUCTS = 100;
/** Maximum requests to the lookup page from one address in any 60 seconds (settlements, section 8). */
export const LOOKUPS_PER_MINUTE = 30;
/** Maximum requests for PDFs that do not exist, from one address in any 60 seconds. */
export const FILE_MISSES_PER_MINUTE = 30;
/** Maximum number of certificates shown for one batch number; a batch usually covers a few products. */
export const MAX_OF_BATCH = 500;
/** Maximum number of copies of one label, and of labels in one PDF. */
export const MAX_COPIES = 1_000;
export const MAX_LABELS = 10_000;
