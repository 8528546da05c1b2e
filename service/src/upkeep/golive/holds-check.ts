import { isDone, memberAt, PLACES, referencesOf, textAt } from "./content.ts";
import type { Check, CheckVerdict, FactRequest, Fault, GoLiveFacts } from "./facts.ts";
import { failed, inTime, moment, passed, waiting } from "./verdicts.ts";
import { MINUTE } from "./windows.ts";

/** Milliseconds without an order or a consume after a refused reserve that show that there will be none. */
const LEFT_ALONE_MS = 5 * MINUTE;
/** The statuses of a reserve that was decided, and refused: nothing is held under its reference. */
const REFUSED: ReadonlySet<number> = new Set([409, 422]);
const USES: ReadonlySet<string> = new Set([...PLACES, "consume"]);

/**
 * A reserve repeated under its reference, a release, a hold that was left to expire, and a refused reserve after which
 * there was no order and no consume under the same reference (or Idempotency-Key, or external_order_id). An order or a
 * consume after a refusal is cleared by a later reserve that was refused with the same code and was left alone for five
 * minutes, or was followed by a reserve under its reference that succeeded. A refusal with another code shows nothing:
 * whoever sells after `no_inventory` may well wait after `retry`.
 */
export const holdsCheck: Check = {
	name: "holds",
	title: "Holds",
	passedWhen:
		"A reserve was repeated under its reference, a hold released and one let expire, and after a refused reserve there was no order and no consume of the same reference.",
	optional: false,
	concerns: ({ mayReserve }) => mayReserve,
	judge,
	faults: (facts) => historyOf(facts).faults,
};

/** An order or a consume after a refused reserve. */
interface UseOfRefused extends Fault {
	readonly code: string | null;
}

interface History {
	readonly repeated: readonly FactRequest[];
	readonly released: FactRequest | undefined;
	readonly expired: { readonly at: number; readonly request: FactRequest } | undefined;
	/** Refused reserves that were not followed by an order or a consume. */
	readonly leftAlone: readonly FactRequest[];
	readonly faults: readonly UseOfRefused[];
}

function historyOf({ requests, now }: GoLiveFacts): History {
	const reserves = requests.filter(({ operation }) => operation === "reserve");
	const repeat = reserves.find((request) => isDone(request) && memberAt(request.reply, "data", "idempotent") === true);
	const first = repeat && reserves.find((one) => isDone(one) && madeToken(one) === madeToken(repeat));
	return {
		repeated: [first, repeat].filter((one) => one !== undefined),
		released: requests.find((request) => request.operation === "release" && isDone(request)),
		expired: firstExpired(requests, now),
		...refusals(requests, now),
	};
}

const madeToken = ({ reply }: FactRequest): string | null => textAt(reply, "data", "reservation_token");

/**
 * The first hold that was left to expire: nothing ended it earlier, or the sandbox was asked to advance it to its end.
 */
function firstExpired(requests: readonly FactRequest[], now: number): History["expired"] {
	const ends = new Map<string, number>();
	for (const request of requests) {
		const token = textAt(request.body, "reservation_token");
		const isEnd = USES.has(request.operation) || request.operation === "release";
		if (isEnd && token !== null && isDone(request) && !ends.has(token)) ends.set(token, request.at);
	}
	const found = requests.flatMap((request) => {
		if (!isDone(request)) return [];
		if (request.operation === "advanceSandbox" && textAt(request.body, "to") === "expired") {
			return [{ at: request.at, request }];
		}
		const token = request.operation === "reserve" ? madeToken(request) : null;
		const at = Date.parse(textAt(request.reply, "data", "expires_at") ?? "");
		return token !== null && at <= now && !(Number(ends.get(token)) < at) ? [{ at, request }] : [];
	});
	return found.toSorted((a, b) => a.at - b.at)[0];
}

/** What happened to references whose last reserve was refused. */
function refusals(requests: readonly FactRequest[], now: number): Pick<History, "leftAlone" | "faults"> {
	const refused = new Map<string, FactRequest>();
	const [leftAlone, faults]: [FactRequest[], UseOfRefused[]] = [[], []];
	for (const request of requests) {
		const reference = request.operation === "reserve" ? textAt(request.body, "external_ref") : null;
		if (reference !== null && isDone(request)) {
			const earlier = refused.get(reference);
			if (earlier) leftAlone.push(earlier);
			refused.delete(reference);
		}
		if (reference !== null && REFUSED.has(request.status)) refused.set(reference, request);
		if (!USES.has(request.operation)) continue;
		const named = referencesOf(request).find((one) => refused.has(one));
		const reserve = named === undefined ? undefined : refused.get(named);
		if (named === undefined || reserve === undefined) continue;
		refused.delete(named);
		faults.push(faultOf(named, reserve, request));
	}
	const old = [...refused.values()].filter(({ at }) => now - at >= LEFT_ALONE_MS);
	return { leftAlone: [...leftAlone, ...old].toSorted((a, b) => a.at - b.at), faults: inTime(faults) };
}

const faultOf = (reference: string, reserve: FactRequest, use: FactRequest): UseOfRefused => ({
	at: use.at,
	code: reserve.code,
	evidence: [reserve.requestId, use.requestId],
	says: `The reserve under ${reference} was refused with ${reserve.status} ${reserve.code ?? ""} at ${moment(reserve.at)}, and ${use.operation} came under the same reference at ${moment(use.at)}.`,
	cure: "Place an order or consume only with the reservation_token of a reserve that was answered 201. After a refusal do not charge; reserve again, or end the checkout.",
});

/** One of the things that must occur. */
interface Part {
	/** When it occurred; undefined: it has not. */
	readonly at: number | undefined;
	readonly requests: readonly (FactRequest | undefined)[];
	readonly what: string;
}

function judge(facts: GoLiveFacts): CheckVerdict {
	const { repeated, released, expired, leftAlone, faults } = historyOf(facts);
	const isMended = ({ at, code }: UseOfRefused): boolean => leftAlone.some((one) => one.at > at && one.code === code);
	const unmended = faults.filter((fault) => !isMended(fault));
	const last = unmended.at(-1);
	if (last !== undefined) return failed(last, unmended);
	const lastFault = faults.at(-1);
	const alone = leftAlone.find(
		(one) => lastFault === undefined || (one.at > lastFault.at && one.code === lastFault.code),
	);
	const parts: readonly Part[] = [
		{ at: repeated.at(-1)?.at, requests: repeated, what: "a reserve sent again under its external_ref" },
		{ at: released?.at, requests: [released], what: "a release" },
		{ at: expired?.at, requests: [expired?.request], what: "a hold that nobody ended before its end" },
		{
			at: alone?.at,
			requests: [alone],
			what: "a refused reserve with an external_ref (of SBX-OUT), and no order or consume under that reference for 5 min",
		},
	];
	const ids = parts.flatMap(({ requests }) => requests.flatMap((one) => (one ? [one.requestId] : [])));
	const missing = parts.filter(({ at }) => at === undefined).map(({ what }) => what);
	const since = Math.max(...parts.map(({ at }) => at ?? 0));
	return missing.length === 0
		? passed("All of it was seen: a repeat, a release, an expiry, and a refusal that was left alone.", since, ids)
		: waiting(
				`Still to be seen: ${missing.join("; ")}.`,
				"Run these steps of your checkout once against the sandbox.",
				since || null,
				ids,
			);
}
