import { useState } from "react";
import type { DataOf } from "../api/call.ts";

export type PickStop = DataOf<"make_pick_list">["stops"][number];
/** What was found at a stop: its units, or fewer. */
export type Mark = "taken" | "missing";
export type Marks = Readonly<Record<string, Mark>>;

/** Where the browser's tab keeps them. */
const KEPT_AS = "holdfast-picked-stops";

/** Names a stop: the same lot for other orders, or of other units, is another stop. */
export const nameOfStop = ({ fg_id, orders }: PickStop): string =>
	[fg_id, ...orders.map(({ order_id, units }) => `${order_id}=${units}`)].join(" ");

/** What was found at each stop. A tablet may drop a page at any time: the tab keeps them until it is closed. */
export function useMarks(): readonly [Marks, (stop: PickStop, mark: Mark | null) => void] {
	const [marks, setMarks] = useState(readMarks);
	const mark = (stop: PickStop, as: Mark | null): void => {
		const { [nameOfStop(stop)]: _was, ...others } = marks;
		const next = as === null ? others : { ...others, [nameOfStop(stop)]: as };
		setMarks(next);
		keepMarks(next);
	};
	return [marks, mark];
}

function readMarks(): Marks {
	try {
		return JSON.parse(sessionStorage.getItem(KEPT_AS) ?? "{}") as Marks;
	} catch {
		return {}; // the browser keeps nothing
	}
}

function keepMarks(marks: Marks): void {
	try {
		sessionStorage.setItem(KEPT_AS, JSON.stringify(marks));
	} catch {
		// the browser keeps nothing: they last as long as the page
	}
}
