/** Bytes of a PDF at most. */
export const MAX_PDF_BYTES = 20 * 1024 * 1024;
/** Code points of a batch number, a slug, a vial size or a laboratory's name at most. */
export const MAX_TEXT_LENGTH = 200;
/** Products that one request of the feed may name. */
export const MAX_PRODUCTS = 100;
/** Looks at the lookup page from one address in any 60 seconds (settlements, section 8). */
export const LOOKUPS_PER_MINUTE = 30;
/** Requests for PDFs that are not there, from one address in any 60 seconds. */
export const FILE_MISSES_PER_MINUTE = 30;
/** Certificates of one batch number that are shown at most; a batch covers a few products. */
export const MAX_OF_BATCH = 500;
