import { OperatorError } from "../../ground/lib/operator-error.ts";
import type { Problem } from "./entries.ts";

/** Problems named in a message; the rest is counted. */
const MAX_NAMED = 20;

/** The import was refused as a whole: nothing was changed. */
export class ImportRefused extends OperatorError {
	readonly problems: readonly Problem[];
	constructor(problems: readonly Problem[]) {
		const named = problems.slice(0, MAX_NAMED).map(({ at, message }) => `${at}: ${message}`);
		const more = problems.length - named.length;
		if (more > 0) named.push(`… and ${more} more`);
		super(`${named.join("\n")}\nNothing was changed: fix the input and import it again.`);
		this.problems = problems.map(({ at, message }) => ({ at, message }));
	}
}
