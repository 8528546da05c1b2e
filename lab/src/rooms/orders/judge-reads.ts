/** Compares holds that partners read back with their possible states during the request. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import type { Life } from "../holds/lives.ts";
import type { HoldReading, ReadAttempt } from "./attempts.ts";

const ALWAYS = [401, 429];

export function judgeHoldReads(on: Case, reads: readonly ReadAttempt[], lives: ReadonlyMap<string, Life>): Finding[] {
	const byRef = Map.groupBy(lives.values(), ({ actor, ref }) => `${actor} ${ref}`);
	return reads.flatMap((read) => {
		const { actor, token, ref, hold, start, end, status } = read;
		const asked = `hold ${token ?? `under ${ref}`} read by ${actor}`;
		if (hold) return judgeReading(on, read, hold, lives.get(hold.reservation_token), asked);
		if (status === null || status >= 500 || ALWAYS.includes(status)) return [];
		if (status !== 404) return [finding("unexpected", `${asked} answers ${status}`, end)];
		const named = token === null ? (byRef.get(`${actor} ${ref}`) ?? []) : [lives.get(token)];
		const there = named.some((life) => life?.actor === actor && life.told && life.created.latest <= start);
		return there ? [finding("lost", `${asked} answers 404 after it was acknowledged`, end)] : [];
	});
}

function judgeReading(
	on: Case,
	{ actor, token, ref, start, end }: ReadAttempt,
	hold: HoldReading,
	life: Life | undefined,
	asked: string,
): Finding[] {
	if (life?.actor !== actor) return [finding("leak", `${asked} was answered, but the hold is not this key's`, end)];
	if (token === null ? life.ref !== ref : life.token !== token)
		return [finding("unexpected", `${asked} answers hold ${hold.reservation_token}`, end)];
	// while the clock is wrong, a hold may briefly be over
	if (on.clockWrongWithin(start, end)) return [];
	return isPossible(on, life, hold, start, end)
		? []
		: [finding("wrong read", `${asked} is ${hold.status}, but the hold cannot have had this status`, end)];
}

function isPossible(
	on: Case,
	life: Life,
	{ status, order_id: orderId }: HoldReading,
	start: number,
	end: number,
): boolean {
	const { end: ending, back } = life;
	const ended = ending.earliest <= end;
	switch (status) {
		case "active":
			return ending.latest >= start;
		case "expired":
			return on.dueAt(life.expiresAt, life.created.latest).earliest <= end;
		case "placed":
			return ending.how === "placed" && ended && orderId !== null;
		case "reversed":
			return back !== null && back.earliest <= end;
		case "consumed":
			return ending.how === "consumed" && ended && (back === null || back.latest >= start);
		default:
			return ending.how === status && ended;
	}
}
