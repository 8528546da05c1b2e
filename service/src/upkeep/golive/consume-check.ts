import { isDone, textAt } from "./content.ts";
import type { Check, CheckVerdict, FactRequest, GoLiveFacts } from "./facts.ts";
import { passed, waiting } from "./verdicts.ts";

const CURE =
	"Consume a hold under an external_ref of yours, keep it, and reverse under the same external_ref when the sale is undone.";

/**
 * A consume and, after it, its reverse under the same reference, both answered 200. Nothing fails it: a partner's tests
 * may try every refusal in the sandbox. A reverse that was refused because nothing was consumed under its reference is
 * named while the check waits.
 */
export const consumeCheck: Check = {
	name: "consume",
	title: "Consume and reverse",
	passedWhen: "A hold was consumed and its consume reversed, both under one reference.",
	optional: false,
	concerns: ({ mayConsume }) => mayConsume,
	judge,
	faults: () => [],
};

/** The codes that refuse a reverse because no hold was consumed under its reference. */
const NOT_CONSUMED: ReadonlySet<string | null> = new Set(["not_found", "not_consumed"]);

function judge({ requests }: GoLiveFacts): CheckVerdict {
	const consumed = new Map<string, FactRequest>();
	let refused: FactRequest | null = null;
	for (const request of requests) {
		const reference = textAt(request.body, "external_ref");
		if (reference === null) continue;
		if (request.operation === "consume" && isDone(request) && !consumed.has(reference))
			consumed.set(reference, request);
		if (request.operation !== "reverseConsume") continue;
		const consume = consumed.get(reference);
		if (consume !== undefined && isDone(request)) {
			return passed(`A hold was consumed and reversed under ${reference}.`, request.at, [
				consume.requestId,
				request.requestId,
			]);
		}
		if (NOT_CONSUMED.has(request.code)) refused = request;
	}
	const [first] = consumed.values();
	if (first === undefined)
		return waiting("No hold was consumed yet.", CURE, refused?.at ?? null, refused ? [refused.requestId] : []);
	const ids = [first.requestId, ...(refused ? [refused.requestId] : [])];
	const why =
		refused === null
			? ""
			: ` A reverse was answered ${refused.status} ${refused.code}: nothing was consumed under its reference.`;
	return waiting(`A hold was consumed, and no consume was reversed yet.${why}`, CURE, first.at, ids);
}
