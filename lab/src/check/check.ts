import type { Line } from "../history.ts";
import type { Room } from "../rooms/room.ts";
import { Case } from "./case.ts";
import { type Finding, finding } from "./findings.ts";
import { judgeService } from "./served.ts";

/** Reads a history and applies its effects to the shelves. */
export function openCase(lines: Iterable<Line>, rooms: readonly Room[]): Case {
	const on = new Case(lines);
	for (const { oracle } of rooms) oracle.settle(on);
	return on;
}

/** All findings of a case that is ready to be judged. */
export function judge(on: Case, rooms: readonly Room[]): Finding[] {
	const operations = rooms.flatMap((room) => room.operations);
	return [...judgeShelves(on), ...judgeService(on, operations), ...rooms.flatMap(({ oracle }) => oracle.judge(on))];
}

/** Finds moments by which more units were certainly taken from a shelf than can have been on it. */
function judgeShelves(on: Case): Finding[] {
	return [...on.shelves.all()].flatMap(({ name, free, blurredFrom }) =>
		free
			.belowZero()
			.filter(({ at }) => at < blurredFrom)
			.map(({ at, high }) =>
				finding("oversold", `${name}: ${-high} more units were promised than can have been available`, at),
			),
	);
}
