/** Code points of an address. */
export const MAX_URL = 2_000;
/** Code points of a description. */
export const MAX_DESCRIPTION = 500;
/** Endpoints of one partner in one environment. */
export const MAX_ENDPOINTS = 10;
/** Hours for which the secrets before a rotation sign too: the contract's, and at most (settlements, section 9). */
export const DEFAULT_SECRET_OVERLAP_HOURS = 24;
export const MAX_SECRET_OVERLAP_HOURS = 168;
/** Secrets of one endpoint that sign at once; a rotation ends the oldest beyond them. */
export const MAX_SECRETS = 5;
/** Attempts that are kept with a delivery; an older one gives way. */
export const MAX_ATTEMPTS_KEPT = 50;
