/** Requests of one operator in any 60 seconds (operator contract, section 8). */
export const OPERATOR_REQUESTS_PER_MINUTE = 600;
/** Characters of a token's name. */
export const MAX_TOKEN_NAME = 100;
