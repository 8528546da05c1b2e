/** Maximum requests of one operator in any 60 seconds (operator contract, section 8). */
export const OPERATOR_REQUESTS_PER_MINUTE = 600;
/** Maximum characters of a token's name. */
export const MAX_TOKEN_NAME = 100;
