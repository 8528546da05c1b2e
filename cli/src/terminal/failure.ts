import { CommanderError } from "commander";
import type { ErrorCode } from "../../../service/src/glossary.ts";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import type { RefusedEntry } from "../../../service/src/ground/lib/refusal.ts";
import { ImportRefused } from "../../../service/src/upkeep/import/refused.ts";
import { complain, isJsonAsked, print } from "./output.ts";

/** Exit codes of every command. */
export const EXIT = { ok: 0, refused: 1, usage: 2, interrupted: 130 } as const;

/** Why a command failed: the code of a refusal, or one of the command line. */
export type FailureCode =
	| ErrorCode
	/** The command line is invalid. */
	| "usage"
	/** It cannot be done in the current state; the message says what to do. */
	| "refused"
	| "interrupted"
	/** The connection to the database was lost before anything was done. */
	| "database_away"
	/** The connection to the database was lost during the commit: the command may or may not have been carried out. */
	| "outcome_unknown"
	/** A bug. */
	| "failed";

/** A failure as a person reads it, and as `--json` prints it (settlements, section 12). */
export interface Failure {
	readonly kind: "refused" | "usage";
	readonly code: FailureCode;
	/** One sentence or more; null: already printed. */
	readonly say: string | null;
	/** Further fields for scripts, besides code and message. */
	readonly more: { readonly [name: string]: unknown };
	readonly message: string;
}

/** A refusal of a use case. */
export class CommandRefused extends OperatorError {
	readonly code: ErrorCode;
	/** Each problem of the input, if the refusal lists them. */
	readonly problems: readonly RefusedEntry[] | undefined;
	constructor(code: ErrorCode, message: string, problems?: readonly RefusedEntry[]) {
		super(message);
		this.code = code;
		this.problems = problems;
	}
}

/** The service was lost before it answered a write. */
export class OutcomeLost extends OperatorError {
	constructor(cause: unknown) {
		const why =
			"The connection to the service ended before it answered, so it is unknown whether the command took effect";
		super(`${why}: check before you repeat it. (${messageOf(cause)})`, { cause });
	}
}

const UNKNOWN_OUTCOME =
	"The connection to the database was lost while the command was finishing, so it is unknown whether the command took effect: check before you repeat it.";

const NO_WRITES =
	"The database accepts no writes: it is a standby, or a primary that is being replaced. Set HOLDFAST_DATABASE_URL to the primary, and try again.";

/** The failure for an error that ended a command; null: it ended well, as `--help` does. */
export async function failureOf(error: unknown): Promise<Failure | null> {
	if (error instanceof CommanderError) {
		if (error.exitCode === 0) return null;
		const isMissing = error.code === "commander.help";
		const message = isMissing ? "A command is missing: --help lists them." : error.message.replace(/^error: /, "");
		return { kind: "usage", code: "usage", message, say: null, more: {} };
	}
	if (error instanceof CommandRefused) {
		const { code, problems } = error;
		return told(code, error.message, problems === undefined ? {} : { problems });
	}
	if (error instanceof ImportRefused) return told("invalid_input", error.message, { problems: error.problems });
	if (error instanceof OutcomeLost) return told("outcome_unknown", error.message);
	if (error instanceof OperatorError) return told("refused", error.message);
	return await failureOfDatabase(error);
}

/** The same for an error of the database, or a bug. Most commands have none, so they do not load its driver. */
async function failureOfDatabase(thrown: unknown): Promise<Failure> {
	const [{ isConnectionLoss, lacksMeans, takesNoWrites }, { OutcomeUnknown }] = await Promise.all([
		import("../../../service/src/ground/pg/faults.ts"),
		import("../../../service/src/ground/pg/evidence.ts"),
	]);
	if (takesNoWrites(thrown)) return told("database_away", NO_WRITES);
	if (isConnectionLoss(thrown))
		return told("database_away", `The connection to the database was lost: ${messageOf(thrown)}. Try again.`);
	if (lacksMeans(thrown))
		return told("refused", `PostgreSQL lacks space or memory: ${messageOf(thrown)}. Free some, and try again.`);
	if (thrown instanceof OutcomeUnknown) return told("outcome_unknown", UNKNOWN_OUTCOME);
	if (!(thrown instanceof Error)) return told("failed", String(thrown));
	return { ...told("failed", thrown.message), say: thrown.stack ?? thrown.message };
}

const told = (code: FailureCode, message: string, more: Failure["more"] = {}): Failure => ({
	kind: "refused",
	code,
	message,
	say: message,
	more,
});

/** The JSON document of a failure. */
export const failureDocument = ({ code, message, more }: Pick<Failure, "code" | "message" | "more">) => ({
	error: { code, message, ...more },
});

/** Ends the process after a signal, and prints what happens to its work. */
export function exitInterrupted(what: string, close: () => Promise<unknown> = () => Promise.resolve()): void {
	const message = `Interrupted: ${what}`;
	complain(message);
	if (isJsonAsked(process.argv))
		print(failureDocument({ code: "interrupted", message, more: {} }), true, () => message);
	void close().finally(() => process.exit(EXIT.interrupted));
}
