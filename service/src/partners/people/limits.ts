/** Limits of people, their sessions and their sign-ins (operator contract, section 2). */

/** Maximum length of a person's name, in characters. */
export const MAX_PERSON_NAME = 64;
/** Maximum length of an email address, in characters (RFC 5321). */
export const MAX_EMAIL = 254;
/** Length of a password, in code points. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 256;
/** Minutes for which a set-up link is valid. */
export const LINK_MINUTES = 15;
/** Minutes that a session may be idle: of an admin, and of everybody else. */
export const ADMIN_IDLE_MINUTES = 30;
export const IDLE_MINUTES = 480;
/** Hours after which a session ends, however busy it is. */
export const SESSION_HOURS = 24;
/** Minutes for which a sign-in counts as fresh. */
export const FRESH_MINUTES = 10;
/** Maximum number of sessions of one person: a further sign-in ends the oldest. */
export const MAX_SESSIONS = 20;
/** Days for which an ended session is kept. */
export const KEEP_SESSION_DAYS = 30;
/** Maximum number of factors of one person. */
export const MAX_FACTORS = 10;
export const RECOVERY_CODES = 10;
/** Maximum number of failed sign-ins under one name, whoever tries them, in any 60 seconds. */
export const FAILED_SIGN_INS_PER_MINUTE = 10;
/**
 * Milliseconds from the end of a failed check to its reply: longer than what is still to be written, so that the time
 * reveals nothing.
 */
export const FAILED_SIGN_IN_MS = 500;
/** Milliseconds between two records of a session's last request. */
export const SEEN_EVERY_MS = 30_000;
/** Maximum length of a kept user agent, in characters. */
export const MAX_USER_AGENT = 200;
/** Minutes for which the challenge of a passkey may be answered. */
export const CHALLENGE_MINUTES = 5;
/** Algorithms of passkeys (COSE numbers): Ed25519, ES256 and RS256, of which every device has one. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257] as const;
