/** Code points of an address. */
export const MAX_URL = 2_000;
/** Code points of a description. */
export const MAX_DESCRIPTION = 500;
/** Endpoints of one partner in one environment. */
export const MAX_ENDPOINTS = 10;
/** Hours for which older secrets still sign after a rotation: the default and the maximum (settlements, section 9). */
export const DEFAULT_SECRET_OVERLAP_HOURS = 24;
export const MAX_SECRET_OVERLAP_HOURS = 168;
/** Secrets of one endpoint that sign at once; a rotation ends the oldest beyond that. */
export const MAX_SECRETS = 5;
/** Attempts stored with a delivery; older ones are dropped. */
export const MAX_ATTEMPTS_KEPT = 50;
