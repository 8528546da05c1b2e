import { messageOf } from "../lib/assert.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { POOL_TIMEOUT, READ_TIMEOUT } from "./driver-internals.ts";

/** Classifies database errors. */

/** The connection is gone or was never established; what the server did last is unknown. See its `cause`. */
export class ConnectionLost extends Error {
	override readonly name: string = "ConnectionLost";
}

/** A statement was not answered within its limit, so its connection was destroyed. */
export class AnswerTooLate extends ConnectionLost {
	override readonly name = "AnswerTooLate";
}

/** No connection of the pool became free in time: nothing was sent. */
export class PoolBusy extends ConnectionLost {
	override readonly name = "PoolBusy";
}

/** A replica does not show yet what a reader has read elsewhere: the primary must answer. */
export class ReplicaBehind extends Error {
	override readonly name = "ReplicaBehind";
}

/** One of our values cannot be sent, or an answer cannot be parsed: a bug, not a connection failure. */
export class StatementBug extends Error {
	override readonly name = "StatementBug";
}

const KINDS_OF_LOSS = new Map<string, typeof ConnectionLost>([
	[READ_TIMEOUT, AnswerTooLate],
	[POOL_TIMEOUT, PoolBusy],
]);

/** The server accepts no writes: it is a standby, or a primary being replaced. */
const READ_ONLY = "25006";
const TOO_MANY_CONNECTIONS = "53300";
/** SQLSTATEs that mean this connection or server is unusable now, but another may work. */
const STATES_OF_LOSS = new Set([
	"57P01", // terminated by an administrator, or the server is shutting down
	"57P02", // another backend crashed
	"57P03", // starting up, shutting down or recovering
	"57P05", // idle for too long
	"25P03", // idle in a transaction for too long
	"25P04", // in a transaction for too long
	READ_ONLY,
	TOO_MANY_CONNECTIONS,
]);

/** Unique violation, serialization failure, deadlock, cancelled by an operator, lock not available. */
const STATES_OF_CONFLICT = new Set(["23505", "40001", "40P01", "57014", "55P03"]);

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** The SQLSTATE of an error, or null if it did not come from a server. */
export function sqlStateOf(error: unknown): string | null {
	if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return null;
	const { code } = error;
	return typeof code === "string" && SQLSTATE.test(code) ? code : null;
}

/** Normalizes a driver's error: without a SQLSTATE, the connection failed. Our own errors are unchanged. */
export function understood(error: unknown): Error {
	if (error instanceof ConnectionLost || error instanceof OperatorError || error instanceof StatementBug) return error;
	if (error instanceof Error && sqlStateOf(error) !== null) return error;
	const message = messageOf(error);
	return new (KINDS_OF_LOSS.get(message) ?? ConnectionLost)(message, { cause: error });
}

/** Whether a server refused a statement because it accepts no writes. */
export const takesNoWrites = (error: unknown): boolean =>
	error instanceof Error && ((error as { code?: string }).code === READ_ONLY || takesNoWrites(error.cause));

/** The server went away, is starting or stopping, or is no longer the primary: a new connection may succeed. */
export function isConnectionLoss(error: unknown): boolean {
	if (error instanceof ConnectionLost) return true;
	const state = sqlStateOf(error);
	return state !== null && (STATES_OF_LOSS.has(state) || state.startsWith("08"));
}

/** Whether an error means that no server can be used. One without room for a further connection works for others. */
export const showsNoServer = (error: unknown): boolean =>
	isConnectionLoss(error) && sqlStateOf(error) !== TOO_MANY_CONNECTIONS;

/** Another transaction was in the way: the same work may succeed, or get another result, when repeated. */
export const isConflict = (error: unknown): boolean => STATES_OF_CONFLICT.has(sqlStateOf(error) ?? "");

/** Another transaction kept a row locked for longer than this session waits. */
export const isLockTimeout = (error: unknown): boolean => sqlStateOf(error) === "55P03";

/** Others kept a lock for too long, or would have waited for this transaction as it did for them. */
export const isKeptFromLock = (error: unknown): boolean => isLockTimeout(error) || sqlStateOf(error) === "40P01";

/** The server lacks disk, memory or other resources, or cannot read or write its files. */
export const lacksMeans = (error: unknown): boolean => /^(53(?!300)|58)/.test(sqlStateOf(error) ?? "");
