/** Records of the receivers of webhooks, and the tables at the end. */
import type { Case } from "../../check/case.ts";

/** A status, no answer, or a connection reset. */
export type Answer = number | "hang" | "reset";

/** The lab registered an endpoint; it registers all of them before partners begin. */
export interface RegisteredNote {
	readonly what: "registered";
	readonly endpointId: string;
	readonly partner: string;
	/** Name of its receiver. */
	readonly receiver: string;
}

/** A post that arrived completely. */
export interface PostNote {
	readonly what: "post";
	readonly endpointId: string;
	readonly eventId: string;
	/** SHA-256 of the body's bytes. */
	readonly digest: string;
	/** Whether it is signed with the endpoint's secret. */
	readonly signed: boolean;
	/** Milliseconds by which its timestamp is ahead of the machine's clock; null: it has none. */
	readonly aheadMs: number | null;
	readonly answer: Answer;
	/** Seconds that the answer asked to wait; null: none. */
	readonly retryAfter: number | null;
}

/** An endpoint was seen to be inactive for the first time. */
export interface InactiveNote {
	readonly what: "inactive";
	readonly endpointId: string;
}

/** From here on every receiver works, and no delivery waits for its time. */
export interface CalmNote {
	readonly what: "calm";
}

export type WebhookNote = RegisteredNote | PostNote | InactiveNote | CalmNote;

export interface EventFact {
	readonly eventId: string;
	readonly partner: string;
	/** The only endpoint of a test event; null: the event is for all endpoints of its partner. */
	readonly only: string | null;
	/** SHA-256 of the body's bytes. */
	readonly digest: string;
}

export interface DeliveryFact {
	readonly endpointId: string;
	readonly eventId: string;
	readonly status: "pending" | "delivered" | "exhausted" | "dropped";
	readonly failures: number;
	/** Milliseconds for which its next attempt has been due; below 0: not yet due. Null: there is none. */
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

/** A post with the time of its arrival. */
export interface Post extends PostNote {
	readonly at: number;
}

/** An endpoint and everything that arrived there, in order of arrival. */
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

/** When every receiver began to work; Infinity: never. */
export const calmFrom = (on: Case): number =>
	on.records("webhooks").find(({ note }) => (note as WebhookNote).what === "calm")?.at ?? Number.POSITIVE_INFINITY;

export const factsIn = (on: Case): WebhookFacts | null => on.facts<WebhookFacts>("webhooks") ?? null;

/** Faults that cannot affect senders: they hit partners, and rows of other rooms. */
const ELSEWHERE = ["client-cuts", "client-slow", "lot-locked", "hold-locked", "order-locked", "missed"];

/** Whether a fault may have affected senders between these moments, so that one did not know or record something. */
export const troubledBetween = (on: Case, from: number, to: number): boolean =>
	on.faults.some(({ fault, began, ended }) => !ELSEWHERE.includes(fault) && began <= to && from <= ended);
