import { messageOf } from "../lib/assert.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { READ_TIMEOUT } from "./driver-internals.ts";

/** What kind of trouble an error of the database is. */

/**
 * The connection is gone, or was never there: nobody knows from this error what the server did last. Its `cause` says
 * why.
 */
export class ConnectionLost extends Error {
	override readonly name: string = "ConnectionLost";
}

/** A statement was not answered within its limit, and its connection was destroyed for it. */
export class AnswerTooLate extends ConnectionLost {
	override readonly name = "AnswerTooLate";
}
/** A value of ours that cannot be sent, or an answer that cannot be read: a bug, and no trouble of the connection. */
export class StatementBug extends Error {
	override readonly name = "StatementBug";
}

/** The server takes no writes: it is a standby, or a primary that is being replaced. */
const READ_ONLY = "25006";
/**
 * SQLSTATEs with which a server says that this connection, or this server, is of no use now, and that another may be.
 */
const STATES_OF_LOSS = new Set([
	"57P01", // terminated by an administrator, or the server is shutting down
	"57P02", // another backend crashed
	"57P03", // starting up, shutting down or recovering
	"57P05", // idle for too long
	"25P03", // idle in a transaction for too long
	"25P04", // in a transaction for too long
	READ_ONLY,
	"53300", // too many connections
]);

/** Unique violation, serialization failure, deadlock, cancelled by an operator, lock not available. */
const STATES_OF_CONFLICT = new Set(["23505", "40001", "40P01", "57014", "55P03"]);

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** The SQLSTATE a server gave an error, or null: then no server said it. */
export function sqlStateOf(error: unknown): string | null {
	if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return null;
	const { code } = error;
	return typeof code === "string" && SQLSTATE.test(code) ? code : null;
}

/**
 * An error of the driver as it is to be understood: without a SQLSTATE no server said it, so the connection failed.
 * Some are our own.
 */
export function understood(error: unknown): Error {
	if (error instanceof ConnectionLost || error instanceof OperatorError || error instanceof StatementBug) return error;
	if (error instanceof Error && sqlStateOf(error) !== null) return error;
	const message = messageOf(error);
	return new (message === READ_TIMEOUT ? AnswerTooLate : ConnectionLost)(message, { cause: error });
}

/** Did a server refuse a statement because it takes no writes? */
export const takesNoWrites = (error: unknown): boolean =>
	error instanceof Error && ((error as { code?: string }).code === READ_ONLY || takesNoWrites(error.cause));

/**
 * The server went away, is starting, stopping, or is no longer the primary: the same work may succeed on a new
 * connection.
 */
export function isConnectionLoss(error: unknown): boolean {
	if (error instanceof ConnectionLost) return true;
	const state = sqlStateOf(error);
	return state !== null && (STATES_OF_LOSS.has(state) || state.startsWith("08"));
}

/** Another transaction was in the way: the same work may succeed, or be decided otherwise, when it is done again. */
export const isConflict = (error: unknown): boolean => STATES_OF_CONFLICT.has(sqlStateOf(error) ?? "");

/** A row stayed locked by another transaction for longer than this session waits. */
export const isLockTimeout = (error: unknown): boolean => sqlStateOf(error) === "55P03";

/** The server lacks disk, memory or other means, or cannot read or write its files. */
export const lacksMeans = (error: unknown): boolean => /^(53(?!300)|58)/.test(sqlStateOf(error) ?? "");
