/** Maximum units of a lot, a demand or a buffer; no typo may overflow the database's 32-bit balances. */
export const MAX_UNITS = 1_000_000_000;
/** Maximum length of the location of a lot, in characters. */
export const MAX_LOCATION_LENGTH = 100;
