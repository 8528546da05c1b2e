import { outcomeOfErrand } from "../history.ts";
import type { Case } from "./case.ts";

/** Operators' commands that begin with these words and were done. */
export const countDone = (on: Case, words: readonly string[]): number =>
	on.errands.filter(
		(errand) => words.every((word, at) => errand.args[at] === word) && outcomeOfErrand(errand) === "done",
	).length;
