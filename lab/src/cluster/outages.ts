/** How long no write was accepted around each fault, by the partners' own record. */
import { type Exchange, type FaultLine, type Line, outcomeOf } from "../history.ts";

/** Requests that change nothing, though they are posted. */
const READS = /^\/api\/v1\/(check|inventory)\b/;

/** The times of one kind of fault, in the order of the faults, ms. */
export interface Outages {
	readonly kind: string;
	/** Longest time without an accepted write. */
	readonly withoutMs: readonly number[];
	/** How long the cause lasted. */
	readonly lastedMs: readonly number[];
}

export const isWrite = ({ method, path }: Pick<Exchange, "method" | "path">): boolean =>
	method === "POST" && !READS.test(path);

/** The faults of a history by kind, in alphabetic order. */
export function outagesOf(lines: readonly Line[]): Outages[] {
	const accepted = lines
		.filter((line): line is Exchange => line.kind === "exchange" && isWrite(line) && outcomeOf(line) === "done")
		.map(({ end }) => end)
		.sort((a, b) => a - b);
	const faults = lines.filter((line): line is FaultLine => line.kind === "fault");
	const byKind = Map.groupBy(faults, ({ fault }) => fault);
	return [...byKind]
		.map(([kind, all]) => ({
			kind,
			withoutMs: all.map(({ began, ended }) => longestPause(accepted, began, ended)),
			lastedMs: all.map(({ lastedMs = 0 }) => lastedMs),
		}))
		.sort((a, b) => a.kind.localeCompare(b.kind));
}

/** The longest time between two of these moments that overlaps the interval. */
function longestPause(moments: readonly number[], from: number, to: number): number {
	let longest = 0;
	let last = from;
	for (const moment of moments) {
		if (moment >= from) longest = Math.max(longest, moment - Math.max(last, from));
		last = moment;
		if (moment > to) return longest;
	}
	return Math.max(longest, to - Math.max(last, from));
}
