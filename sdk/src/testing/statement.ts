import type { MemoryEngine } from "./engine.ts";
import type { ListNumbers, Rows } from "./rows.ts";

/** A statement's rows, as tuples in the order of its SELECT list. */
export type Answers = (...values: never[]) => readonly (readonly unknown[])[];

export interface Means {
	readonly rows: Rows;
	readonly engine: MemoryEngine;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** Statements by their names. */
export type Statements = Readonly<Record<string, Answers>>;

/** A page of a primary ends nowhere before its limit. */
const NO_REPLICA = null;

/**
 * A page of a list, as a primary answers it: rows whose number, the first of each, is above `after`, and the moment of
 * the list before each. `head`: values between the two.
 */
export function pageOf(
	rows: readonly (readonly [number: number, ...unknown[]])[],
	{ numbers, now, after, most }: { numbers: ListNumbers; now: number; after: number; most: number },
	head: readonly unknown[] = [],
): unknown[][] {
	const moment = numbers.moment(now);
	const listed = rows.filter(([number]) => number > after).sort((a, b) => a[0] - b[0]);
	if (listed.length === 0) return [[moment, NO_REPLICA, ...head, null]];
	return listed.slice(0, most).map((row) => [moment, NO_REPLICA, ...head, true, ...row]);
}
