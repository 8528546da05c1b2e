import { actedTwice, REACTION_MS } from "./acted-twice.ts";
import { isDone } from "./content.ts";
import type { Check, CheckVerdict, Fault, GoLiveFacts, Probe } from "./facts.ts";
import { duration, failed, inTime, moment, passed, plural, waiting, warned } from "./verdicts.ts";

/** The status with which an endpoint makes the service deactivate it (contract, section 6). */
const GONE = 410;

/** What the messages of the run try, in words, and whether a receiver accepts them (contract, section 6). */
const PROBES: {
	readonly [kind in Probe["kind"]]: { readonly what: string; readonly accepted: boolean; readonly cure: string };
} = {
	bad_signature: {
		what: "a message with a bad signature",
		accepted: false,
		cure: "Compute the signature over the bytes as they arrived, compare it with each one in webhook-signature, and answer 401 when none matches.",
	},
	old_timestamp: {
		what: "a message whose timestamp is six minutes old",
		accepted: false,
		cure: "Refuse with 400 a message whose webhook-timestamp is more than five minutes off your clock.",
	},
	repeated_id: {
		what: "a message with an id that was sent before",
		accepted: true,
		cure: "Remember each webhook-id that you have handled; answer 200 to a repeated one, and do nothing.",
	},
	double_signature: {
		what: "a message with two signatures, of which one is good",
		accepted: true,
		cure: "Split webhook-signature at its spaces, and accept the message when any one signature matches.",
	},
	good: {
		what: "a message with nothing wrong",
		accepted: true,
		cure: "Answer 200 within 15 s, and do the work afterwards.",
	},
};
/** The messages that have to be answered. */
const NEEDED = ["bad_signature", "old_timestamp", "repeated_id", "double_signature"] as const;

/**
 * The answers to the last message of each kind: a bad signature and an old timestamp refused with 4xx other than
 * 410, a repeated id and a double signature accepted with 2xx, and no write twice after a repeated id. A refusal by
 * 3xx or 5xx is a warning. A fault is cleared by the next message of its kind that is answered well.
 */
export const webhooksCheck: Check = {
	name: "webhooks",
	title: "Webhooks",
	passedWhen:
		"A bad signature and a timestamp six minutes old are refused, a repeated id is accepted without acting twice, and one good signature of two is enough.",
	optional: false,
	// whoever was sent messages cannot leave their answers out by removing the endpoint
	concerns: ({ hasEndpoint, probes }) => hasEndpoint || probes.length > 0,
	judge,
	faults: (facts) => inTime(facts.probes.flatMap((probe) => faultOf(facts, probe) ?? [])),
};

function faultOf(facts: GoLiveFacts, probe: Probe): Fault | null {
	const { what, accepted, cure } = PROBES[probe.kind];
	if (probe.status === null) return null;
	const evidence = [probe.deliveryId];
	const answer = `At ${moment(probe.at)} ${what} was answered ${probe.status}`;
	if (accepted && !isDone(probe))
		return { at: probe.at, evidence, says: `${answer}; it has to be accepted with 2xx.`, cure };
	if (!accepted && isDone(probe))
		return { at: probe.at, evidence, says: `${answer}; it has to be refused with 4xx.`, cure };
	if (!accepted && probe.status === GONE) {
		const says = `${answer}, which deactivates an endpoint: a stranger could end yours.`;
		return { at: probe.at, evidence, says, cure };
	}
	const first = facts.probes.find(({ deliveryId }) => probe.kind === "repeated_id" && deliveryId === probe.repeats);
	const twice = first === undefined ? null : actedTwice(facts.requests, first.at, probe.at);
	if (first === undefined || twice === null) return null;
	return {
		at: probe.at,
		evidence: [first.deliveryId, probe.deliveryId, ...twice.map(({ requestId }) => requestId)],
		says: `A message was sent twice with one id, and ${twice[0].operation} followed both times.`,
		cure,
	};
}

/** Whether it can be judged: it was answered, and a partner had the time to act twice. */
const isJudged = ({ now }: GoLiveFacts, { kind, status, at }: Probe): boolean =>
	status !== null && (kind !== "repeated_id" || now >= at + REACTION_MS);

function judge(facts: GoLiveFacts): CheckVerdict {
	const last = new Map(facts.probes.map((probe) => [probe.kind, probe]));
	const probes = [...last.values()].toSorted((a, b) => a.at - b.at);
	const ids = probes.map(({ deliveryId }) => deliveryId);
	const since = probes.at(-1)?.at ?? null;
	const faults = inTime(probes.flatMap((probe) => faultOf(facts, probe) ?? []));
	const fault = faults.at(-1);
	if (fault !== undefined) return failed(fault, faults);
	const silent = probes.filter(({ status }) => status === null).map(({ kind }) => PROBES[kind].what);
	if (silent.length > 0) {
		return waiting(
			`No answer came to ${silent.join(", nor to ")}.`,
			"Make sure that your endpoint can be reached and answers within 15 s, even when it refuses; then have the messages sent again.",
			since,
			ids,
		);
	}
	const missing = NEEDED.filter((kind) => !last.has(kind)).map((kind) => PROBES[kind].what);
	if (missing.length > 0 || since === null) {
		return waiting(
			`Still to be sent: ${missing.join("; ")}.`,
			"Start the messages of the run with POST /api/v1/sandbox/golive/drill, or ask the operator to.",
			since,
			ids,
		);
	}
	const early = probes.find((probe) => !isJudged(facts, probe));
	if (early !== undefined) {
		return waiting(
			`Whether the repeated message is acted upon is watched for ${duration(REACTION_MS)}.`,
			"Nothing is to be done: read the run again in half a minute.",
			early.at,
			ids,
		);
	}
	const unclear = probes.filter(({ kind, status }) => !PROBES[kind].accepted && Math.floor((status ?? 0) / 100) !== 4);
	if (unclear.length > 0) {
		const how = unclear.map(({ kind, status }) => `${PROBES[kind].what} with ${status}`).join(", and ");
		return warned(
			`All messages were answered as the receiver rules say, but it refused ${how}.`,
			"Refuse with 400 or 401: a 5xx looks like a failure of your receiver, and a 3xx is not followed.",
			since,
			ids,
		);
	}
	return passed(`${plural(probes.length, "message")} of the run were answered as the receiver rules say.`, since, ids);
}
