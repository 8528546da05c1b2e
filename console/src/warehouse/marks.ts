import { useState } from "react";
import type { DataOf } from "../api/call.ts";

export type PickList = DataOf<"make_pick_list">;
export type PickStop = PickList["stops"][number];
/** What was found at a stop: its units, or fewer. */
export type Mark = "taken" | "missing";
export type Marks = Readonly<Record<string, Mark>>;

/** Where the browser's tab keeps them, and the list of the walk. */
const KEPT_AS = "holdfast-picked-stops";
const LIST_KEPT_AS = "holdfast-pick-list";

/** Names a stop: the same lot for other orders, or of other units, is another stop. */
export const nameOfStop = ({ fg_id, orders }: PickStop): string =>
	[fg_id, ...orders.map(({ order_id, units }) => `${order_id}=${units}`)].join(" ");

/** What was found at each stop. A tablet may drop a page at any time: the tab keeps them until it is closed. */
export function useMarks(): readonly [Marks, (stop: PickStop, mark: Mark | null) => void] {
	const [marks, setMarks] = useState(() => kept<Marks>(KEPT_AS) ?? {});
	const mark = (stop: PickStop, as: Mark | null): void => {
		const { [nameOfStop(stop)]: _was, ...others } = marks;
		const next = as === null ? others : { ...others, [nameOfStop(stop)]: as };
		setMarks(next);
		keep(KEPT_AS, next);
	};
	return [marks, mark];
}

interface ListOfWalk {
	readonly walk: string;
	readonly list: PickList;
}

/** The list of a walk, if it is the tab's last one; null: it is not. */
export function listOfWalk(walk: string | null): PickList | null {
	const last = kept<ListOfWalk>(LIST_KEPT_AS);
	return last?.walk === walk ? last.list : null;
}

export const keepListOfWalk = (last: ListOfWalk): void => keep(LIST_KEPT_AS, last);

function kept<T>(as: string): T | null {
	try {
		return JSON.parse(sessionStorage.getItem(as) ?? "null") as T | null;
	} catch {
		return null; // the browser keeps nothing
	}
}

function keep(as: string, value: object): void {
	try {
		sessionStorage.setItem(as, JSON.stringify(value));
	} catch {
		// the browser keeps nothing, or has no room: it lasts as long as the page
	}
}
