/** Maximum length of an address, in code points. */
export const MAX_URL = 2_000;
/** Maximum length of a description, in code points. */
export const MAX_DESCRIPTION = 500;
/** Maximum number of endpoints of one partner in one environment. */
export const MAX_ENDPOINTS = 10;
/** Hours for which older secrets still sign after a rotation: the default and the maximum (settlements, section 9). */
export const DEFAULT_SECRET_OVERLAP_HOURS = 24;
export const MAX_SECRET_OVERLAP_HOURS = 168;
/** Maximum number of secrets of one endpoint that sign at the same time; a rotation ends the oldest beyond it. */
export const MAX_SECRETS = 5;
/** Maximum number of attempts stored with a delivery; older ones are dropped. */
export const MAX_ATTEMPTS_KEPT = 50;
/** Maximum number of events that one poll reads. */
export const LOOK_AT = 128;
/** Maximum number of concurrent posts to one endpoint; fewer while it fails. */
export const MAX_POSTS = 16;
export const MAX_POSTS_FAILING = 4;
/** Maximum number of unrecorded attempts: if this node dies, they are made again. */
export const MOST_JUDGED = 128;
