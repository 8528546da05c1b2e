/** Maximum number of requests of one operator in any 60 seconds (operator contract, section 8). */
export const OPERATOR_REQUESTS_PER_MINUTE = 600;
/** Maximum length of a token's name, in characters. */
export const MAX_TOKEN_NAME = 100;
