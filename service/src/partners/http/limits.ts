/** Limits of one connection or request, before any of it is interpreted. */

/** Maximum size of a request's line and headers together, in bytes. */
export const MAX_HEADER_BYTES = 16 * 1024;
/** Milliseconds for the headers of a request to arrive. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** Milliseconds for a whole request to arrive. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** Milliseconds that a connection may idle. Longer than common load balancers' limits, so that they close first. */
export const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Milliseconds between two checks for connections that exceeded their time. */
export const CHECK_CONNECTIONS_EVERY_MS = 1_000;
/** Maximum length of one path parameter, percent-decoded, in characters. */
export const MAX_PARAM_LENGTH = 1_000;
/** Maximum number of failed authentications per address in any 60 seconds (settlements, section 2). */
export const FAILURES_PER_MINUTE = 30;
/** Milliseconds that a streamed reply may stall, by its source or its reader, until its connection is destroyed. */
export const STREAM_STALL_MS = 30_000;
/** Milliseconds without a byte read or written while a request is answered, before its connection is reset. */
export const REPLY_STALL_MS = 30_000;
/** Milliseconds between two checks for slow readers, and the bytes they must read in between: about 1 KB/s. */
export const LOOK_AT_READERS_EVERY_MS = 60_000;
export const LEAST_READ_BYTES = 64 * 1024;
