/**
 * Units that a lot may ever receive, and that a demand or a buffer may name: balances are 32-bit in the database, and a
 * typo should not fill one.
 */
export const MAX_UNITS = 1_000_000_000;
/** The longest location of a lot, in characters. */
export const MAX_LOCATION_LENGTH = 100;
