/** What a database must contain as of a moment, by the callers' own record of their requests. Pure. */
import type { Answer } from "./ask.ts";
import type { Life } from "./shoppers.ts";

/** The rows of one token in the database. */
export interface Found {
	readonly rows: number;
	readonly status: string;
}

export interface Judged {
	/** Acknowledged before the moment: holds, and their ends. */
	readonly before: number;
	/** Holds that were requested after it. */
	readonly after: number;
	readonly wrong: readonly string[];
}

/**
 * Compares what was found as of `moment` (milliseconds of the callers' clock) with their record. What was answered or
 * asked for within `marginMs` of it counts as under way.
 */
export function judgeAsOf(
	lives: readonly Life[],
	found: ReadonlyMap<string, Found>,
	moment: number,
	marginMs: number,
): Judged {
	const isBefore = ({ began, ms }: Answer): boolean => began + ms < moment - marginMs;
	const isAfter = ({ began }: Answer): boolean => began > moment + marginMs;
	let before = 0;
	let after = 0;
	const wrong: string[] = [];
	for (const { answers, token, acknowledged } of lives) {
		const [reserve, end] = answers;
		if (token === null || reserve === undefined) continue;
		const row = found.get(token);
		if (isBefore(reserve)) {
			before++;
			if (row?.rows !== 1) wrong.push(`hold ${token} was acknowledged before, and is there ${row?.rows ?? 0} times`);
		}
		if (isAfter(reserve)) {
			after++;
			if (row !== undefined) wrong.push(`hold ${token} was requested after, and is there`);
		}
		if (row === undefined || end === undefined || acknowledged === null) continue;
		if (isBefore(end)) {
			before++;
			if (row.status !== acknowledged) wrong.push(`hold ${token} was ${acknowledged} before, and is ${row.status}`);
		}
		if (isAfter(end) && row.status !== "active") wrong.push(`hold ${token} was ended after, and is ${row.status}`);
	}
	return { before, after, wrong };
}
