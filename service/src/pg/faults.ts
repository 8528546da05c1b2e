/** What kind of trouble a database error is, by SQLSTATE or by the socket's own code. */

const CODES_OF_LOSS = new Set([
	"57P01",
	"57P02",
	"57P03",
	"25006",
	"ECONNREFUSED",
	"ECONNRESET",
	"ENOENT",
	"EPIPE",
	"ENOTCONN",
]);
const MESSAGES_OF_LOSS = [
	"Connection terminated",
	"timeout expired",
	"Client has encountered a connection error",
	"timeout exceeded when trying to connect",
	"Client was closed",
];

const codeOf = (error: unknown): string =>
	typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";

/** The server went away, is starting, stopping, or is no longer the primary: the same work may succeed on a new connection. */
export function isConnectionLoss(error: unknown): boolean {
	const code = codeOf(error);
	if (CODES_OF_LOSS.has(code) || code.startsWith("08")) return true;
	return error instanceof Error && MESSAGES_OF_LOSS.some((message) => error.message.includes(message));
}

// unique violation, serialization failure, deadlock, lock not available
const CODES_OF_CONFLICT = new Set(["23505", "40001", "40P01", "55P03"]);

/** Another transaction was in the way: the same work may succeed, or be decided otherwise, when it is done again. */
export const isConflict = (error: unknown): boolean => CODES_OF_CONFLICT.has(codeOf(error));
