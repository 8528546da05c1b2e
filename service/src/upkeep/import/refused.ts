import { OperatorError } from "../../ground/lib/operator-error.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Problem } from "./entries.ts";

/** Maximum number of problems named in a message; the rest are only counted. */
const MAX_NAMED = 20;

/** The import was refused as a whole: nothing was changed. */
export class ImportRefused extends OperatorError {
	readonly problems: readonly Problem[];
	constructor(problems: readonly Problem[]) {
		const { message, problems: each = [] } = refuseProblems(problems);
		super(message);
		this.problems = each;
	}
}

/** Refuses an input as a whole. The message names the first problems. */
export function refuseProblems(problems: readonly Problem[]): Refusal<"invalid_input"> {
	const named = problems.slice(0, MAX_NAMED).map(({ at, message }) => `${at}: ${message}`);
	const more = problems.length - named.length;
	if (more > 0) named.push(`… and ${more} more`);
	const message = `${named.join("\n")}\nNothing was changed: fix the input and import it again.`;
	return {
		...refuse("invalid_input", message),
		problems: problems.map(({ at, message: what }) => ({ at, message: what })),
	};
}
