/** What the receivers of webhooks write down, and what the tables say at the end. */
import type { Case } from "../../check/case.ts";

/** A status; or no answer at all, or the connection cut. */
export type Answer = number | "hang" | "reset";

/** The lab registered an endpoint; it registers all of them before partners begin. */
export interface RegisteredNote {
	readonly what: "registered";
	readonly endpointId: string;
	readonly partner: string;
	/** Name of its receiver. */
	readonly receiver: string;
}

/** A post that came whole. */
export interface PostNote {
	readonly what: "post";
	readonly endpointId: string;
	readonly eventId: string;
	/** SHA-256 of the body's bytes. */
	readonly digest: string;
	/** Is it signed with the endpoint's secret? */
	readonly signed: boolean;
	/** Milliseconds by which the time that it names is ahead of the machine's clock; null: it names none. */
	readonly aheadMs: number | null;
	readonly answer: Answer;
	/** Seconds that the answer asked for; null: none. */
	readonly retryAfter: number | null;
}

/** An endpoint was seen to be inactive for the first time. */
export interface InactiveNote {
	readonly what: "inactive";
	readonly endpointId: string;
}

/** From here on every receiver is well, and nothing waits for its time any more. */
export interface CalmNote {
	readonly what: "calm";
}

export type WebhookNote = RegisteredNote | PostNote | InactiveNote | CalmNote;

export interface EventFact {
	readonly eventId: string;
	readonly partner: string;
	/** Of a test event, the one endpoint that it is for; null: it is for all that its partner has. */
	readonly only: string | null;
	/** SHA-256 of the body's bytes. */
	readonly digest: string;
}

export interface DeliveryFact {
	readonly endpointId: string;
	readonly eventId: string;
	readonly status: "pending" | "delivered" | "exhausted" | "dropped";
	readonly failures: number;
	/** Milliseconds for which its next attempt has been due; below 0: it is not yet. Null: there is none. */
	readonly dueForMs: number | null;
}

export interface EndpointFact {
	readonly endpointId: string;
	/** Null: it is active. */
	readonly inactiveReason: string | null;
}

export interface WebhookFacts {
	readonly events: readonly EventFact[];
	readonly deliveries: readonly DeliveryFact[];
	readonly endpoints: readonly EndpointFact[];
}

/** A post, and when it had come. */
export interface Post extends PostNote {
	readonly at: number;
}

/** An endpoint with everything that came there, in the order of its coming. */
export interface Endpoint {
	readonly endpointId: string;
	readonly partner: string;
	readonly receiver: string;
	readonly posts: readonly Post[];
	/** When it was seen to be inactive; null: never. */
	readonly inactiveAt: number | null;
}

const FIRST_SUCCESS = 200;
const LAST_SUCCESS = 299;
export const isAccepted = ({ answer }: Pick<PostNote, "answer">): boolean =>
	typeof answer === "number" && answer >= FIRST_SUCCESS && answer <= LAST_SUCCESS;

export const GONE = 410;

/** The endpoints of a history. */
export function endpointsIn(on: Case): Endpoint[] {
	const notes = on.records("webhooks").map(({ at, note }) => ({ at, note: note as WebhookNote }));
	const posts = Map.groupBy(
		notes.flatMap(({ at, note }): Post[] => (note.what === "post" ? [{ ...note, at }] : [])),
		({ endpointId }) => endpointId,
	);
	return notes.flatMap(({ note }): Endpoint[] => {
		if (note.what !== "registered") return [];
		const { endpointId, partner, receiver } = note;
		const end = notes.find((one) => one.note.what === "inactive" && one.note.endpointId === endpointId);
		return [{ endpointId, partner, receiver, posts: posts.get(endpointId) ?? [], inactiveAt: end?.at ?? null }];
	});
}

/** When everything began to be well; Infinity: it never did. */
export const calmFrom = (on: Case): number =>
	on.records("webhooks").find(({ note }) => (note as WebhookNote).what === "calm")?.at ?? Number.POSITIVE_INFINITY;

export const factsIn = (on: Case): WebhookFacts | null => on.facts<WebhookFacts>("webhooks") ?? null;

/**
 * Faults that come between no sender and what it must know or write down: they meet partners, and rows of other rooms.
 */
const ELSEWHERE = ["client-cuts", "client-slow", "lot-locked", "hold-locked", "order-locked", "missed"];

/**
 * Did a fault bear on senders at some time between these moments? Then one may not have known, or not have written down
 * what it knew.
 */
export const troubledBetween = (on: Case, from: number, to: number): boolean =>
	on.faults.some(({ fault, began, ended }) => !ELSEWHERE.includes(fault) && began <= to && from <= ended);
