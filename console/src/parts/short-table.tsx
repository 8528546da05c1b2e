import { type ReactNode, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { words } from "../words/words.ts";
import { Table, type TableProps } from "./list.tsx";

/** Rows that are shown at first. */
const FIRST_ROWS = 25;

/** A table of rows that are all there, of which a long one is shown in part first; nothing if there are none. */
export function ShortTable<Row>({ rows, ...props }: TableProps<Row>): ReactNode {
	const [isWhole, setWhole] = useState(false);
	useEffect(() => {
		const showAll = (): void => flushSync(() => setWhole(true)); // paper has no button for the rest
		window.addEventListener("beforeprint", showAll);
		return () => window.removeEventListener("beforeprint", showAll);
	}, []);
	if (rows.length === 0) return null;
	const shown = isWhole ? rows : rows.slice(0, FIRST_ROWS);
	return (
		<>
			<Table {...props} rows={shown} />
			{shown.length === rows.length ? null : (
				<button type="button" onClick={() => setWhole(true)}>
					{words.showAll(rows.length)}
				</button>
			)}
		</>
	);
}
