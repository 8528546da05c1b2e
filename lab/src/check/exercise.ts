import { outcomeOfErrand } from "../history.ts";
import type { Case } from "./case.ts";

/** The number of successful operators' commands that begin with these words. */
export const countDone = (on: Case, words: readonly string[]): number =>
	on.errands.filter(
		(errand) => words.every((word, at) => errand.args[at] === word) && outcomeOfErrand(errand) === "done",
	).length;
