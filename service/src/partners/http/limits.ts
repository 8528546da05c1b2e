/** What one connection or request may cost, before anything of it is understood. */

/** Bytes of a request's line and headers together. */
export const MAX_HEADER_BYTES = 16 * 1024;
/** Milliseconds for the headers of a request to arrive. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** Milliseconds for a whole request to arrive. */
export const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Milliseconds a connection may idle between requests. Longer than the idle time of the usual balancers, so that they
 * close first.
 */
export const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Milliseconds between two looks for connections that ran out of time. */
export const CHECK_CONNECTIONS_EVERY_MS = 1_000;
/** Characters of one path parameter, percent-decoded. */
export const MAX_PARAM_LENGTH = 1_000;
/** Failed authentications per address in any 60 seconds (settlements, section 2). */
export const FAILURES_PER_MINUTE = 30;
/**
 * Milliseconds for which a streamed reply may stand still, because its source or its reader does; then its connection
 * is destroyed.
 */
export const STREAM_STALL_MS = 30_000;
/**
 * Milliseconds for which nothing may be read or written on a connection while a request is answered; then it is reset.
 */
export const REPLY_STALL_MS = 30_000;
/**
 * Milliseconds between two looks at who reads too slowly, and bytes that must have left between them while more wait:
 * some 1 KB/s.
 */
export const LOOK_AT_READERS_EVERY_MS = 60_000;
export const LEAST_READ_BYTES = 64 * 1024;
