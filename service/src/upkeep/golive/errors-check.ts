import type { Check, CheckVerdict, Fault, GoLiveFacts } from "./facts.ts";
import { type HandledRefusal, handledRefusals, type RefusalKind } from "./handled-refusals.ts";
import { failed, inTime, passed, waiting } from "./verdicts.ts";

/** For each kind, the kinds of refusals that clear its faults when they are handled well. */
const MENDED_BY: { readonly [kind in RefusalKind]: readonly RefusalKind[] } = {
	retry: ["retry"],
	no_inventory: ["no_inventory"],
	internal_error: ["internal_error", "retry"],
};

/**
 * After 409 `retry` the same request is sent again; after 409 `no_inventory` it is not sent again within a second;
 * after a 500 a repeat, or a read, with the same reference is sent. Both refusals must occur; a 500 cannot be required.
 * A fault is cleared by a later refusal of its kind that was handled well; one after a 500 also by a later `retry`.
 */
export const errorsCheck: Check = {
	name: "errors",
	title: "Refusals are handled",
	passedWhen:
		"After 409 retry the same request is sent again, after 409 no_inventory it is not sent again within a second, and after 500 the same reference is used again.",
	optional: false,
	concerns: ({ mayReserve }) => mayReserve,
	judge,
	faults: (facts) => inTime(faultsIn(handledRefusals(facts))),
};

const faultsIn = (handled: readonly HandledRefusal[]): Fault[] =>
	handled.flatMap(({ fault }) => (fault === null ? [] : [fault]));

function judge(facts: GoLiveFacts): CheckVerdict {
	const handled = handledRefusals(facts);
	const good = handled.filter(({ fault }) => fault === null);
	const isMended = ({ kind, fault }: HandledRefusal): boolean =>
		good.some((one) => MENDED_BY[kind].includes(one.kind) && one.request.at > (fault?.at ?? 0));
	const faults = inTime(faultsIn(handled.filter((one) => !isMended(one))));
	const last = faults.at(-1);
	if (last !== undefined) return failed(last, faults);
	const latest = (kind: RefusalKind) => good.findLast((one) => one.kind === kind);
	const [retried, left, recovered] = [latest("retry"), latest("no_inventory"), latest("internal_error")];
	const seen = [retried, left, recovered].filter((one) => one !== undefined);
	const requests = seen.flatMap(({ request, again }) => (again ? [request, again] : [request]));
	const ids = requests.map(({ requestId }) => requestId);
	const since = requests.length === 0 ? null : Math.max(...requests.map(({ at }) => at));
	const missing = [
		...(retried ? [] : ["a request that was answered 409 retry and sent again (reserve SBX-RETRY)"]),
		...(left ? [] : ["a request that was answered 409 no_inventory and not repeated within 1 s (reserve SBX-OUT)"]),
	];
	if (missing.length > 0 || since === null) {
		return waiting(
			`Still to be seen: ${missing.join("; ")}.`,
			"Run these refusals through your checkout once.",
			since,
			ids,
		);
	}
	const lost =
		recovered === undefined ? " No write was answered 500." : " After a 500 the same reference was used again.";
	return passed(`409 retry was tried again, and 409 no_inventory was not repeated within 1 s.${lost}`, since, ids);
}
