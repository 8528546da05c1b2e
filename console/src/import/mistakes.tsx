import type { ReactNode } from "react";
import type { CallProblem } from "../api/call.ts";
import { Answer } from "../parts/answer.tsx";
import { ShortTable } from "../parts/short-table.tsx";
import { words } from "../words/words.ts";
import { type ChosenFile, placeOf } from "./chosen.ts";

/** The end of a problem's message, which is meant for programs. */
const SET_NEW_BATCH = /set new_batch$/;

/** Sorts by file and line, with the numbers in a place compared as numbers. */
const PLACES = new Intl.Collator("en", { numeric: true });

/** Everything that is wrong with the files, at once. */
export function Mistakes(props: { problems: readonly CallProblem[]; chosen: readonly ChosenFile[] }): ReactNode {
	const rows = props.problems
		.map(({ at, message }, i) => ({
			i,
			place: placeOf(at, props.chosen),
			message: message.replace(SET_NEW_BATCH, words.imports.tickNewBatch),
		}))
		.toSorted((a, b) => PLACES.compare(a.place, b.place));
	return (
		<Answer className="after" label={words.imports.problems(rows.length)}>
			<div role="alert">
				<p className="strong bad">{words.imports.problems(rows.length)}</p>
				<p>{words.imports.problemsHint}</p>
			</div>
			<ShortTable
				caption={words.imports.problems(rows.length)}
				rows={rows}
				keyOf={({ i }) => String(i)}
				columns={[
					{ head: words.imports.place, cell: ({ place }) => place },
					{ head: words.imports.problem, cell: ({ message }) => message },
				]}
			/>
		</Answer>
	);
}
