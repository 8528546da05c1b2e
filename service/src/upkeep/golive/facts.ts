/*
 * What a go-live run knows about a partner: requests of its sandbox key from the log, and what the run itself saw and
 * did. Times are epoch milliseconds. Everything is in the order of its times, and of its ids where times are equal, so
 * that a verdict never depends on the order in which rows were written.
 */

/** A request of the run's sandbox key. */
export interface FactRequest {
	readonly at: number;
	readonly requestId: string;
	/** The id of the operation, such as `reserve`; `none`: an unknown path. */
	readonly operation: string;
	/** Path and query. */
	readonly url: string;
	readonly status: number;
	readonly code: string | null;
	/** Milliseconds from its headers to its reply. */
	readonly ms: number;
	/** The tokens and references that it was about, those that it made included. */
	readonly about: readonly string[];
	readonly idempotencyKey: string | null;
	/** The body that was sent, and that of the reply, as far as they are JSON; null: none, or cut off. */
	readonly body: unknown;
	readonly reply: unknown;
	/** Seconds of `Retry-After` in the reply; null: it had none. */
	readonly retryAfter: number | null;
}

/** What a partner shows for a SKU. */
export interface ShownItem {
	readonly sku: string;
	/** Null: it shows no number. */
	readonly shownQty: number | null;
	readonly hidden: boolean;
	/** The document to which it links; null: none. */
	readonly coaUrl: string | null;
}

/** One look at what a partner shows, with what was true at that instant. */
export interface Look {
	readonly at: number;
	/** For `posted`, the id of the request that sent it; for `address`, an id that the run assigned. */
	readonly id: string;
	/** `address`: read from its status address; `posted`: sent by the partner itself. */
	readonly source: "address" | "posted";
	/** Why it could not be read; null: it was. */
	readonly problem: string | null;
	readonly items: readonly ShownItem[];
	/** `atp_qty` by SKU, as `GET /api/v1/inventory` had it for this key at that instant. */
	readonly counts: ReadonlyMap<string, number>;
	/** The addresses of the PDFs of current certificates by SKU: several lots of a product may have one, or none. */
	readonly documents: ReadonlyMap<string, readonly string[]>;
}

/** A sandbox certificate that was retired for the run; if there are several, the latest. */
export interface Retirement {
	readonly at: number;
	readonly skus: readonly string[];
	readonly slug: string;
	readonly batchNumber: string;
	/** The address of its PDF. */
	readonly document: string;
}

/** A message that the run sent to the partner's endpoint, to see how it answers. */
export interface Probe {
	readonly at: number;
	readonly deliveryId: string;
	readonly kind: "bad_signature" | "old_timestamp" | "repeated_id" | "double_signature" | "good";
	/** For `repeated_id`: the first message with the id. */
	readonly repeats: string | null;
	/** The status of the answer; null: there was none. */
	readonly status: number | null;
}

/** An attempt to deliver an event of the sandbox to the partner's endpoint. */
export interface FactDelivery {
	readonly at: number;
	readonly deliveryId: string;
	/** Its header `webhook-id`: the same on every attempt, and when the event is sent twice. */
	readonly eventId: string;
	/** Such as `order.shipped`. */
	readonly type: string;
	/** The order that it is about, and the tracking number under which it was shipped; null: none. */
	readonly orderId: string | null;
	readonly trackingNumber: string | null;
	/** The status of the answer; null: there was none. */
	readonly status: number | null;
}

/** A time in which the key was refused with 401. */
export interface Drill {
	readonly from: number;
	/** Null: it is under way. */
	readonly to: number | null;
}

/** An answer that the unkind sandbox gave in place of the real one, or an event that it sent unkindly. */
export interface Unkindness {
	readonly at: number;
	/** The request id, or the delivery id. */
	readonly id: string;
	readonly kind: "retry" | "rate_limited" | "new_field" | "event_twice" | "event_late";
}

export interface UnkindHour {
	readonly from: number;
	/** Null: it is under way. */
	readonly to: number | null;
	readonly acts: readonly Unkindness[];
}

export interface GoLiveFacts {
	/** When the facts were read. */
	readonly now: number;
	readonly startedAt: number;
	/** Whether the key may reserve. A key that may only read cannot show holds, orders or refusals of them. */
	readonly mayReserve: boolean;
	readonly mayOrder: boolean;
	readonly mayConsume: boolean;
	/** Whether the partner has an active endpoint in the sandbox. */
	readonly hasEndpoint: boolean;
	/** Whether the run has an address at which it can read what the partner shows. */
	readonly hasStatusAddress: boolean;
	/** The SKUs that the partner says it shows; their counts must be equal. */
	readonly mapped: readonly string[];
	readonly requests: readonly FactRequest[];
	readonly looks: readonly Look[];
	readonly retirement: Retirement | null;
	readonly probes: readonly Probe[];
	readonly deliveries: readonly FactDelivery[];
	readonly drills: readonly Drill[];
	readonly unkind: UnkindHour | null;
	/** Verdicts by a person, the latest for each check. */
	readonly reviews: readonly Review[];
}

/** The verdict of a person on a check that only a person can judge. */
export interface Review {
	readonly check: CheckName;
	readonly at: number;
	/** Who, as in the audit log. */
	readonly by: string;
	readonly passed: boolean;
	readonly words: string;
}

/** In the order in which a report lists them (operator contract, section 6). */
export const CHECKS = [
	"rate",
	"mirror_fresh",
	"mirror_equal",
	"coa_shown",
	"coa_feed",
	"holds",
	"orders",
	"consume",
	"webhooks",
	"errors",
	"drill",
	"unkind",
] as const;
export type CheckName = (typeof CHECKS)[number];

/**
 * `waiting`: nothing was seen yet, or not enough. `review`: only a person can say. `failed` goes back to `waiting` when
 * the facts show it cleared.
 */
export const VERDICTS = ["waiting", "passed", "warning", "failed", "review"] as const;
export type VerdictWord = (typeof VERDICTS)[number];

/** What a check concludes from the facts. */
export interface CheckVerdict {
	readonly verdict: VerdictWord;
	/** Since when it says so: the time of the fact that decided it; null: nothing was seen. */
	readonly since: number | null;
	/** The ids of the requests and deliveries on which it is based, at most MOST_EVIDENCE of them. */
	readonly evidence: readonly string[];
	/** What was seen, in a sentence with its numbers. */
	readonly says: string;
	/** What to do, for the partner's developer; null: nothing. */
	readonly cure: string | null;
}

/** Something that a partner did wrong, whether or not it has been cleared since. */
export interface Fault {
	/** When it was done last. */
	readonly at: number;
	/** The ids of the requests, looks and deliveries that prove it. */
	readonly evidence: readonly string[];
	readonly says: string;
	readonly cure: string;
}

/** Maximum number of ids that a verdict names. */
export const MOST_EVIDENCE = 20;

/** A check: data, and pure functions over facts in order (`inOrder`). */
export interface Check {
	readonly name: CheckName;
	/** What it is about, for the heading of a report. */
	readonly title: string;
	/** When it is passed, in a sentence. */
	readonly passedWhen: string;
	/** Whether the run can finish without it. */
	readonly optional: boolean;
	/** Whether it concerns this key at all. */
	readonly concerns: (facts: GoLiveFacts) => boolean;
	readonly judge: (facts: GoLiveFacts) => CheckVerdict;
	/** Everything that was wrong, even if it has been cleared since. `unkind` allows no fault within its hour. */
	readonly faults: (facts: GoLiveFacts) => readonly Fault[];
}
