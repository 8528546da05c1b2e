/**
 * Posts to the receivers: only real events, only for the right endpoints, always the same bytes, signed, and none after
 * the endpoint's end.
 */
import type { Case } from "../../check/case.ts";
import { type Finding, finding, type Wrong } from "../../check/findings.ts";
import {
	calmFrom,
	type Endpoint,
	type EventFact,
	GONE,
	isAccepted,
	type Post,
	troubledBetween,
	type WebhookFacts,
} from "./notes.ts";

/** Milliseconds by which the timestamp of a post may be off (Standard Webhooks). */
const OFF_BY_MS = 300_000;
/** Milliseconds after a 410 in which a post that was under way may still arrive. */
const UNDER_WAY_MS = 3_000;
/** Milliseconds for which a sender may act on what it knew before a fault: the longest duration of its lease. */
const UNHEARD_MS = 30_000;
/** Milliseconds after an answer within which it is recorded, on a busy machine without a fault. */
const WRITTEN_WITHIN_MS = 10_000;
const MS = 1_000;
/** Milliseconds by which timers may fire early, or the database's clock differ from the lab's. */
const EARLY_MS = 250;

const wrong = (kind: Wrong, what: string, at: number): Finding => finding(kind, what, at, "posts");

export function judgePosts(on: Case, endpoints: readonly Endpoint[], facts: WebhookFacts | null): Finding[] {
	const events = facts && new Map(facts.events.map((event) => [event.eventId, event]));
	return [
		...endpoints.flatMap((endpoint) => [
			...endpoint.posts.flatMap((post) => judgeOne(on, endpoint, post)),
			...(events ? endpoint.posts.flatMap((post) => judgeEvent(endpoint, post, events.get(post.eventId))) : []),
			...judgeSeries(on, endpoint),
			...judgeAfterEnd(on, endpoint),
		]),
		...judgeBodies(
			endpoints.flatMap(({ posts }) => posts),
			events,
		),
	];
}

function judgeOne(on: Case, { receiver }: Endpoint, { eventId, signed, aheadMs, at }: Post): Finding[] {
	const found: Finding[] = [];
	if (!signed) found.push(wrong("unexpected", `event ${eventId} came to "${receiver}" without a valid signature`, at));
	if ((aheadMs === null || Math.abs(aheadMs) > OFF_BY_MS) && !on.clockWrongWithin(at - UNHEARD_MS, at))
		found.push(
			wrong("unexpected", `event ${eventId} came to "${receiver}" with a timestamp that is off by ${aheadMs} ms`, at),
		);
	return found;
}

/** No post after the receiver answered 410, except those under way. */
function judgeAfterEnd(on: Case, { receiver, posts, inactiveAt }: Endpoint): Finding[] {
	const end = posts.find(({ answer }) => answer === GONE);
	if (end === undefined) return [];
	const heardAt = (inactiveAt ?? Number.POSITIVE_INFINITY) + UNHEARD_MS;
	return posts
		.filter((post) => post.at > end.at + UNDER_WAY_MS && (post.at > heardAt || !mayComeAgain(on, end, post)))
		.map(({ eventId, at }) =>
			wrong(
				"unexpected",
				`event ${eventId} came to "${receiver}" ${Math.round(at - end.at)} ms after it answered 410`,
				at,
			),
		);
}

function judgeEvent(endpoint: Endpoint, { eventId, at }: Post, event: EventFact | undefined): Finding[] {
	const { endpointId, partner, receiver } = endpoint;
	if (event === undefined)
		return [wrong("doubled", `"${receiver}" was sent event ${eventId}, which does not exist`, at)];
	if (event.partner !== partner)
		return [wrong("leak", `"${receiver}" of ${partner} was sent event ${eventId} of ${event.partner}`, at)];
	if (event.only !== null && event.only !== endpointId)
		return [wrong("unexpected", `"${receiver}" was sent event ${eventId}, which is for another endpoint`, at)];
	return [];
}

/** Every post of an event has the recorded bytes; if the tables were not read, those of the first post. */
function judgeBodies(posts: readonly Post[], events: ReadonlyMap<string, EventFact> | null): Finding[] {
	return [...Map.groupBy(posts, ({ eventId }) => eventId)].flatMap(([eventId, own]) => {
		const right = events?.get(eventId)?.digest ?? own[0]?.digest;
		const other = own.find(({ digest }) => digest !== right);
		return other ? [wrong("changed", `event ${eventId} came with a body other than the recorded one`, other.at)] : [];
	});
}

/** Whether a fault may have kept a sender from recording an answer, or from noticing that it had lost the endpoint. */
const mayComeAgain = (on: Case, answered: Post, again: Post): boolean =>
	troubledBetween(on, answered.at - UNHEARD_MS, Math.min(again.at, answered.at + WRITTEN_WITHIN_MS));

/** The posts of each event to one endpoint: none after it was accepted, and none sooner than the receiver asked for. */
function judgeSeries(on: Case, { receiver, posts }: Endpoint): Finding[] {
	const calm = calmFrom(on);
	return [...Map.groupBy(posts, ({ eventId }) => eventId)].flatMap(([eventId, own]) => {
		const accepted = own.find(isAccepted);
		const again = accepted && own.find((post) => post.at > accepted.at && !mayComeAgain(on, accepted, post));
		const found = again
			? [
					wrong(
						"doubled",
						`event ${eventId} came to "${receiver}" again, although no fault kept its sender from recording that it was accepted`,
						again.at,
					),
				]
			: [];
		for (const [n, { at, retryAfter }] of own.entries()) {
			const next = own[n + 1];
			if (retryAfter === null || next === undefined || next.at >= calm) continue;
			if (next.at - at >= retryAfter * MS - EARLY_MS || troubledBetween(on, at, next.at)) continue;
			found.push(
				wrong(
					"unexpected",
					`event ${eventId} came to "${receiver}" ${Math.round(next.at - at)} ms after it was asked to wait ${retryAfter} s`,
					next.at,
				),
			);
		}
		return found;
	});
}
