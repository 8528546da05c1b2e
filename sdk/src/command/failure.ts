import { HoldfastError, RateLimited, Unauthorized } from "../client/errors.ts";
import type { Code } from "../client/types.ts";

/** Exit codes of every command. */
export const EXIT = {
	ok: 0,
	/** Differences, or checks that are not passed. */
	different: 1,
	usage: 2,
	/** The service cannot be reached, or refuses the key. */
	noAccess: 3,
} as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** The codes of the command line itself. */
export type CommandCode = "usage" | "unreadable" | "failed";

/** Why a command ended without a result. */
export class CommandFailure extends Error {
	readonly exit: Exit;
	/** A code of the service or of the SDK, or one of the command line. */
	readonly code: Code | CommandCode;

	constructor(exit: Exit, code: Code | CommandCode, message: string) {
		super(message);
		this.exit = exit;
		this.code = code;
	}
}

export const usage = (message: string): CommandFailure => new CommandFailure(EXIT.usage, "usage", message);

/** What every command but the doctor says about a key that is refused. */
export const RUN_DOCTOR = 'Run "holdfast-partner doctor".';

/** An error as a failure of the command. */
export function failureOf(error: unknown): CommandFailure {
	if (error instanceof CommandFailure) return error;
	if (!(error instanceof HoldfastError)) {
		// a bug of this program: the report needs the stack
		const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
		return new CommandFailure(EXIT.different, "failed", text);
	}
	const { code, message, status, requestId } = error;
	const quote = requestId === null ? "" : ` (request ${requestId})`;
	if (error instanceof Unauthorized) {
		const why =
			status === 401
				? `The key is refused: it is mistyped, suspended, expired or revoked, or a drill is under way. ${RUN_DOCTOR}`
				: `The key may not do this: ${message}`;
		return new CommandFailure(EXIT.noAccess, code, `${why}${quote}`);
	}
	if (code === "connection_lost") {
		return new CommandFailure(EXIT.noAccess, code, `${withCause(error)} Is the address right, and the service up?`);
	}
	if (error instanceof RateLimited) {
		const seconds = Math.ceil(error.retryAfterMs / 1000);
		return new CommandFailure(EXIT.noAccess, code, `The key is over its rate: try again in ${seconds} s.`);
	}
	const help = error.help === null ? "" : ` ${error.help}`;
	return new CommandFailure(EXIT.different, code, `${status} ${code}: ${message}${quote}${help}`);
}

/** The message of an error with that of its innermost cause: fetch says only "fetch failed". */
export function withCause(error: Error): string {
	let inner: Error = error;
	while (inner.cause instanceof Error) inner = inner.cause;
	const reason = inner instanceof AggregateError ? (inner.errors[0] as Error).message : inner.message;
	return error.message.includes(reason) ? error.message : `${error.message} ${reason}.`;
}
