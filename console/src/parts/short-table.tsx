import { type ReactNode, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { words } from "../words/words.ts";
import { Table, type TableProps } from "./list.tsx";

/** Number of rows that are shown at first. */
const FIRST_ROWS = 25;

/**
 * A table whose rows are all loaded. Of a long one, only the first rows are shown at first; without rows, nothing is.
 */
export function ShortTable<Row>({ rows, ...props }: TableProps<Row>): ReactNode {
	const [isWhole, setWhole] = useState(false);
	useEffect(() => {
		const showAll = (): void => flushSync(() => setWhole(true)); // paper has no button that shows the rest
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
