/** PDFs of one request. */
export const MAX_FILES = 200;
/** PDFs of one import that were stored before. */
export const MAX_STORED = 5_000;
