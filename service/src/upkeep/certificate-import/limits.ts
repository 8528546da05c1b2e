/** Maximum number of PDFs in one request. */
export const MAX_FILES = 200;
/** Maximum number of PDFs of one import that were stored before it. */
export const MAX_STORED = 5_000;
