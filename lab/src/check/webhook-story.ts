/** Hand-written histories of webhooks. By default they are of Acme's endpoint "a" and of an event of Acme. */
import type { Line } from "../history.ts";
import type { DeliveryFact, EndpointFact, EventFact, PostNote, WebhookNote } from "../rooms/webhooks/notes.ts";
import { WEBHOOK_ORACLE } from "../rooms/webhooks/oracle.ts";
import { openCase } from "./check.ts";
import { AT_THE_END, type Span, Story } from "./story.ts";

interface Tested {
	readonly endpoint?: string;
	readonly by?: string;
	readonly status?: number | null;
	readonly code?: string;
}

export class WebhookStory extends Story {
	readonly #events: EventFact[] = [];
	readonly #deliveries: DeliveryFact[] = [];
	readonly #endpoints = new Map<string, EndpointFact>();
	#looked = false;

	constructor() {
		super();
		this.endpoint("a", "Acme").endpoint("b", "Bolt");
	}

	endpoint(endpointId: string, partner: string): this {
		this.#endpoints.set(endpointId, { endpointId, inactiveReason: null });
		return this.#note(0, { what: "registered", endpointId, partner, receiver: endpointId });
	}

	/** A post arrives; accepted by default. */
	post(at: number, eventId: string, post: Partial<PostNote> = {}): this {
		return this.#note(at, {
			what: "post",
			endpointId: "a",
			eventId,
			digest: `digest of ${eventId}`,
			signed: true,
			aheadMs: 0,
			answer: 200,
			retryAfter: null,
			...post,
		});
	}

	/** The endpoint was seen to be inactive. */
	ends(at: number, endpointId = "a"): this {
		return this.#note(at, { what: "inactive", endpointId });
	}

	/** From here on every receiver works. */
	calm(at: number): this {
		return this.#note(at, { what: "calm" });
	}

	/** A partner requests a test event for the endpoint. */
	test(at: Span, eventId: string, { endpoint = "a", by = "acme-web", status = 202, code = "" }: Tested = {}): this {
		const reply = status === 202 ? { data: { event_id: eventId } } : { error: { code } };
		return this.exchange({ path: `/api/v1/webhook-endpoints/${endpoint}/test`, body: null, status, reply }, at, by);
	}

	/** The tables contain this event. */
	event(eventId: string, fact: Partial<EventFact> = {}): this {
		this.#looked = true;
		this.#events.push({ eventId, partner: "Acme", digest: `digest of ${eventId}`, only: null, ...fact });
		return this;
	}

	/** The tables contain this delivery of the event. */
	delivery(eventId: string, fact: Partial<DeliveryFact> = {}): this {
		this.#deliveries.push({ eventId, endpointId: "a", status: "delivered", failures: 0, dueForMs: null, ...fact });
		return this;
	}

	/** The tables give the reason why an endpoint is inactive. */
	inactive(endpointId: string, inactiveReason: string): this {
		this.#endpoints.set(endpointId, { endpointId, inactiveReason });
		return this;
	}

	/** The counts of posts for the report. */
	posts(): Readonly<Record<string, number>> | undefined {
		return WEBHOOK_ORACLE.tally?.(openCase([...this.lines, ...this.factsOfRooms()], [])).posts;
	}

	#note(at: number, note: WebhookNote): this {
		this.lines.push({ kind: "record", room: "webhooks", at, note });
		return this;
	}

	protected override factsOfRooms(): Line[] {
		if (!this.#looked) return [];
		const facts = { events: this.#events, deliveries: this.#deliveries, endpoints: [...this.#endpoints.values()] };
		return [{ kind: "facts", room: "webhooks", at: AT_THE_END, until: AT_THE_END, facts }];
	}
}
