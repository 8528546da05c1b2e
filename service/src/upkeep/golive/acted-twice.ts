import { isDone, sameness, WRITES } from "./content.ts";
import type { FactRequest } from "./facts.ts";
import { SECOND } from "./windows.ts";

/** Milliseconds after a message within which a request may be the partner's reaction to it. */
export const REACTION_MS = 30 * SECOND;

/**
 * A write that followed the first of two messages with the same id, and was sent again, identical, after the second;
 * null: there is none. Only writes count, such as a cancel or a release: reads have many reasons. What a partner does
 * twice in its own systems, such as sending a mail to its customer, cannot be seen here.
 */
export function actedTwice(
	requests: readonly FactRequest[],
	firstAt: number,
	secondAt: number,
): readonly [FactRequest, FactRequest] | null {
	const after = (from: number, to: number): FactRequest[] =>
		requests.filter(({ at, operation }) => at > from && at <= to && WRITES.has(operation));
	const earlier = new Map(
		after(firstAt, Math.min(firstAt + REACTION_MS, secondAt))
			.filter(isDone)
			.map((request) => [sameness(request), request]),
	);
	for (const request of after(secondAt, secondAt + REACTION_MS)) {
		const first = earlier.get(sameness(request));
		if (first !== undefined) return [first, request];
	}
	return null;
}
