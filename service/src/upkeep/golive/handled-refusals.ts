import { namesIn, referencesOf, sameness, textAt, WRITES } from "./content.ts";
import type { FactRequest, Fault, GoLiveFacts } from "./facts.ts";
import { duration, moment } from "./verdicts.ts";
import { answeredAt, MINUTE, SECOND } from "./windows.ts";

/** Milliseconds within which a request that was answered `retry` or 500 must be sent again. */
const AGAIN_WITHIN_MS = 5 * MINUTE;
/**
 * Milliseconds after `no_inventory` in which the same request must not be sent again (operator contract, section 6).
 */
const NOT_WITHIN_MS = SECOND;
/** The status of a reply that leaves open whether the request was carried out. */
const SERVER_ERROR = 500;

/** The refusals that are judged, by their codes. */
export type RefusalKind = "retry" | "no_inventory" | "internal_error";

/** A refusal, and how the partner handled it. */
export interface HandledRefusal {
	readonly kind: RefusalKind;
	readonly request: FactRequest;
	readonly again: FactRequest | undefined;
	/** Null: it was handled well. */
	readonly fault: Fault | null;
}

/** The refusals whose handling is known by now, in the order of their times. */
export const handledRefusals = (facts: GoLiveFacts): HandledRefusal[] =>
	[...sameRequests(facts), ...serverErrors(facts)].toSorted((a, b) => a.request.at - b.request.at);

/** Refusals with `retry` and `no_inventory` for which it is known what followed them. */
function sameRequests({ requests, now }: GoLiveFacts): HandledRefusal[] {
	const operations = new Set(requests.filter(isJudged).map(({ operation }) => operation));
	const groups = Map.groupBy(
		requests.filter(({ operation }) => operations.has(operation)),
		sameness,
	);
	return [...groups.values()].flatMap((group) =>
		group.flatMap((request, index): HandledRefusal[] => {
			if (!isJudged(request)) return [];
			const again = group.slice(index + 1).find(({ at }) => at >= answeredAt(request));
			return request.code === "retry"
				? afterRetry(request, again, isAgain(group[index - 1], request), now, requests)
				: afterNoInventory(request, again, now);
		}),
	);
}

const isJudged = ({ status, code }: FactRequest): boolean =>
	status === 409 && (code === "retry" || code === "no_inventory");

/** Whether it repeats an earlier one that was answered `retry`: the last of several tries is not repeated. */
const isAgain = (earlier: FactRequest | undefined, request: FactRequest): boolean =>
	earlier?.code === "retry" && request.at - answeredAt(earlier) <= AGAIN_WITHIN_MS;

function afterRetry(
	request: FactRequest,
	again: FactRequest | undefined,
	isLater: boolean,
	now: number,
	requests: readonly FactRequest[],
): HandledRefusal[] {
	const due = answeredAt(request) + AGAIN_WITHIN_MS;
	if (again !== undefined && again.at <= due) return [{ kind: "retry", request, again, fault: null }];
	if (isLater || now <= due) return [];
	const renamed = requests.find(
		(other) => other.at > answeredAt(request) && other.at <= due && isRenamed(request, other),
	);
	const fault: Fault = {
		at: request.at,
		evidence: [request.requestId, ...(renamed ? [renamed.requestId] : [])],
		says:
			renamed === undefined
				? `${request.operation} was answered 409 retry at ${moment(request.at)}, and the same request was not sent again within ${duration(AGAIN_WITHIN_MS)}.`
				: `${request.operation} was answered 409 retry at ${moment(request.at)}, and was sent again under another reference (${referencesOf(renamed).join(", ") || "none"} instead of ${referencesOf(request).join(", ") || "none"}).`,
		cure: "After 409 retry wait as long as Retry-After says (1 s) and send the same request again, with the same external_ref and Idempotency-Key; try at least twice.",
	};
	return [{ kind: "retry", request, again: undefined, fault }];
}

/** The same reserve under another reference, or under none. */
const isRenamed = (request: FactRequest, other: FactRequest): boolean =>
	request.operation === "reserve" &&
	other.operation === "reserve" &&
	textAt(request.body, "external_ref") !== textAt(other.body, "external_ref") &&
	itemsOf(request) === itemsOf(other);

const itemsOf = ({ body }: FactRequest): string => JSON.stringify((body as { items?: unknown } | null)?.items ?? null);

function afterNoInventory(request: FactRequest, again: FactRequest | undefined, now: number): HandledRefusal[] {
	const allowed = answeredAt(request) + NOT_WITHIN_MS;
	if (again === undefined || again.at >= allowed) {
		return now < allowed ? [] : [{ kind: "no_inventory", request, again: undefined, fault: null }];
	}
	const fault: Fault = {
		at: again.at,
		evidence: [request.requestId, again.requestId],
		says: `${request.operation} was answered 409 no_inventory at ${moment(request.at)}, and the same request was sent again ${duration(again.at - answeredAt(request))} later.`,
		cure: "Do not repeat a request that was answered 409 no_inventory: do not charge, and tell the customer. If you ask again later, wait at least 1 s, or longer.",
	};
	return [{ kind: "no_inventory", request, again, fault }];
}

/**
 * Writes that were answered 500: it is not known whether they were carried out, so they may be repeated only under the
 * same reference. One without a reference is not judged, nor is a read.
 */
function serverErrors({ requests, now }: GoLiveFacts): HandledRefusal[] {
	return requests.flatMap((request, index): HandledRefusal[] => {
		if (request.status !== SERVER_ERROR || !WRITES.has(request.operation)) return [];
		const names = new Set(
			request.operation === "release" || request.operation === "cancelOrder" ? request.about : referencesOf(request),
		);
		if (names.size === 0) return [];
		const due = answeredAt(request) + AGAIN_WITHIN_MS;
		const again = requests
			.slice(index + 1)
			.find((other) => other.at >= answeredAt(request) && namesIn(other).some((name) => names.has(name)));
		if (again !== undefined && again.at <= due) return [{ kind: "internal_error", request, again, fault: null }];
		if (now <= due) return [];
		const renamed = requests.find((other) => other.at > request.at && other.at <= due && isRenamed(request, other));
		const instead = renamed === undefined ? "" : `; ${renamed.requestId} reserves the same under another one`;
		const fault: Fault = {
			at: request.at,
			evidence: [request.requestId, ...(renamed ? [renamed.requestId] : [])],
			says: `${request.operation} was answered 500 at ${moment(request.at)}, and its reference ${[...names].join(", ")} was not used again within ${duration(AGAIN_WITHIN_MS)}${instead}.`,
			cure: "After a 500 it is not known whether the request was carried out. Send the same request again under the same reference, or look up that reference.",
		};
		return [{ kind: "internal_error", request, again: undefined, fault }];
	});
}
