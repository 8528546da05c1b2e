/**
 * Checks that the service is usable: no request may fail without a fault, and each operation must succeed often enough.
 */
import { type Exchange, outcomeOf } from "../history.ts";
import type { Operation } from "../rooms/room.ts";
import type { Case } from "./case.ts";
import { type Finding, finding } from "./findings.ts";
import { touched } from "./waits.ts";

/** Milliseconds after the ground is healthy again during which a request may still fail because of the fault. */
const FAULT_MARGIN_MS = 3_000;
/**
 * Maximum share of an operation's requests outside faults that may be answered 429; keys with a cap are excluded.
 */
const MOST_BUSY = 0.02;
/** Operations with fewer requests are not judged by their shares. */
const LEAST_COUNTED = 40;
const TOO_MANY = 429;
const UNAUTHORIZED = 401;

export function judgeService(on: Case, operations: readonly Operation[]): Finding[] {
	const untouched = on.exchanges.filter((exchange) => !touched(on, exchange, FAULT_MARGIN_MS));
	const byOperation = Map.groupBy(untouched, ({ op }) => op);
	return [
		...untouched.flatMap(judgeFailure),
		...operations.flatMap((operation) => judgeShares(on, operation, byOperation.get(operation.name) ?? [])),
	];
}

function judgeFailure({ op, actor, status, reply, start, end, unsent }: Exchange): Finding[] {
	const given = status ?? (unsent || end - start < PATIENCE_MS ? null : "nothing");
	// a cut connection proves nothing about the service; only a long silence does
	if (given === null || (typeof given === "number" && given < 500)) return [];
	return [finding("unserved", `${op} of ${actor} was answered ${given} ${JSON.stringify(reply)} without a fault`, end)];
}
/** Milliseconds without an answer that count as a silence. */
const PATIENCE_MS = 10_000;

function judgeShares(on: Case, { name, leastDone }: Operation, attempts: readonly Exchange[]): Finding[] {
	// the room of keys judges revoked keys
	const counted = attempts.filter(({ status }) => status !== UNAUTHORIZED);
	if (counted.length < LEAST_COUNTED) return [];
	const free = counted.filter(({ actor }) => on.actor(actor).cap === null);
	const busy = free.filter(({ status }) => status === TOO_MANY).length;
	const done = counted.filter((attempt) => outcomeOf(attempt) === "done").length;
	const said = `of ${counted.length} requests ${name} outside faults`;
	return [
		...(busy <= free.length * MOST_BUSY ? [] : [finding("unserved", `${busy} ${said} were answered 429`)]),
		...(done >= counted.length * leastDone
			? []
			: [finding("unserved", `${done} ${said} succeeded; at least ${Math.ceil(leastDone * 100)} in 100 must`)]),
	];
}
