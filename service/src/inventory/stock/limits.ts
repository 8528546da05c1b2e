/**
 * Most units that a lot may ever receive, or that one demand or buffer may have: balances are 32-bit in the database,
 * and a typo must not overflow one.
 */
export const MAX_UNITS = 1_000_000_000;
/** The longest location of a lot, in characters. */
export const MAX_LOCATION_LENGTH = 100;
