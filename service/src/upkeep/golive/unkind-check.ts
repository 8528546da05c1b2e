import { ABOVE } from "./above.ts";
import { actedTwice } from "./acted-twice.ts";
import { isDone, sameness, WRITES } from "./content.ts";
import type { Check, CheckVerdict, FactRequest, Fault, GoLiveFacts, UnkindHour, Unkindness } from "./facts.ts";
import { duration, failed, inTime, moment, passed, plural, waiting } from "./verdicts.ts";
import { answeredAt, HOUR, SECOND } from "./windows.ts";

/** Milliseconds that it lasts (operator contract, section 6). */
const ENOUGH_MS = HOUR;
/**
 * Milliseconds after a reply within which a repeat of the write shows that the partner mistook the reply for a failure.
 */
const REPEATED_WITHIN_MS = 10 * SECOND;
const REPEAT = 'Let the sandbox be unkind for a whole hour: POST /api/v1/sandbox/golive/drill with {"what": "unkind"}.';

/** What must have happened, in words; the events only for partners with an endpoint. */
const ACTS: { readonly [kind in Unkindness["kind"]]: string } = {
	retry: "a reply 409 retry",
	rate_limited: "a reply 429",
	new_field: "a reply with an unknown field",
	event_twice: "an event that was sent twice",
	event_late: "an event that was sent late",
};
const OF_EVENTS: ReadonlySet<Unkindness["kind"]> = new Set(["event_twice", "event_late"]);

/**
 * In the last unkind hour no check above has a fault, whether or not it was cleared since; most writes that were
 * answered with a new field are not sent again within ten seconds, as if they had failed; and no write is sent twice
 * because an event was. A fault is cleared by another unkind hour.
 */
export const unkindCheck: Check = {
	name: "unkind",
	title: "An unkind hour",
	passedWhen: `During ${duration(ENOUGH_MS)} in which the sandbox answers one request in twenty with retry, 429 or an unknown field, and sends one event twice and one late, no check above fails.`,
	optional: true,
	concerns: () => true,
	judge,
	faults: (facts) => (facts.unkind === null ? [] : faultsIn(facts, facts.unkind)),
};

function faultsIn(facts: GoLiveFacts, { from, to, acts }: UnkindHour): Fault[] {
	const isIn = ({ at }: Fault): boolean => at >= from && at <= (to ?? facts.now);
	const above = ABOVE.filter((check) => check.concerns(facts)).flatMap((check) =>
		check
			.faults(facts)
			.filter(isIn)
			.map((fault) => ({ ...fault, says: `${check.title}: ${fault.says}` })),
	);
	return inTime([...above, ...repeated(facts, acts), ...acts.flatMap((act) => doubled(facts, act))]);
}

/**
 * The writes that were answered with a new field, and were sent again as if they had failed. None unless that happened
 * to most of them: a partner also repeats writes whose reply was lost, and a check above requires that it does.
 */
function repeated({ requests }: GoLiveFacts, acts: readonly Unkindness[]): Fault[] {
	const ids = new Set(acts.filter(({ kind }) => kind === "new_field").map(({ id }) => id));
	const changed = requests.filter(
		(request) => ids.has(request.requestId) && isDone(request) && WRITES.has(request.operation),
	);
	const faults = changed.flatMap((request) => repeatOf(request, requests));
	return faults.length > changed.length / 2 ? faults : [];
}

function repeatOf(request: FactRequest, requests: readonly FactRequest[]): Fault[] {
	const answered = answeredAt(request);
	const again = requests.find(
		(other) =>
			other !== request &&
			other.at >= answered &&
			other.at <= answered + REPEATED_WITHIN_MS &&
			sameness(other) === sameness(request),
	);
	if (again === undefined) return [];
	return [
		{
			at: again.at,
			evidence: [request.requestId, again.requestId],
			says: `${request.operation} was answered ${request.status} with an unknown field at ${moment(request.at)}, and was sent again ${duration(again.at - answered)} later.`,
			cure: "Ignore members of a reply that you do not know: the service may add fields at any time.",
		},
	];
}

/** An event that was sent twice, and acted upon both times. */
function doubled({ requests, deliveries }: GoLiveFacts, { id, kind, at }: Unkindness): Fault[] {
	const delivery = kind === "event_twice" ? deliveries.find(({ deliveryId }) => deliveryId === id) : undefined;
	const first = delivery && deliveries.find((one) => one.eventId === delivery.eventId && one.at < at);
	const twice = first ? actedTwice(requests, first.at, at) : null;
	if (delivery === undefined || twice === null) return [];
	return [
		{
			at,
			evidence: [delivery.deliveryId, ...twice.map(({ requestId }) => requestId)],
			says: `The event ${delivery.eventId} was sent twice, and ${twice[0].operation} followed both times.`,
			cure: "Remember each webhook-id that you have handled; answer 200 to a repeated one, and do nothing.",
		},
	];
}

function judge(facts: GoLiveFacts): CheckVerdict {
	const { unkind, hasEndpoint } = facts;
	if (unkind === null) return waiting("The sandbox has not been unkind yet.", REPEAT);
	const { from, to, acts } = unkind;
	const faults = faultsIn(facts, unkind);
	const last = faults.at(-1);
	if (last !== undefined) return failed(last, faults);
	const length = (to ?? facts.now) - from;
	const ids = acts.map(({ id }) => id);
	if (to === null)
		return waiting(
			`The sandbox has been unkind for ${duration(length)} of ${duration(ENOUGH_MS)}, with no fault so far.`,
			"Let your site run.",
			from,
			ids,
		);
	if (length < ENOUGH_MS)
		return waiting(`The sandbox was unkind for only ${duration(length)} of ${duration(ENOUGH_MS)}.`, REPEAT, from, ids);
	const kinds = Object.keys(ACTS) as Unkindness["kind"][];
	const missing = kinds.filter(
		(kind) => (hasEndpoint || !OF_EVENTS.has(kind)) && !acts.some((act) => act.kind === kind),
	);
	if (missing.length > 0) {
		return waiting(
			`The unkind hour did not have ${missing.map((kind) => ACTS[kind]).join(", ")}.`,
			`Let your site send more requests, and place an order. ${REPEAT}`,
			to,
			ids,
		);
	}
	return passed(
		`The sandbox was unkind ${plural(acts.length, "time")} in ${duration(length)}, and no check above had a fault in it.`,
		to,
		ids,
	);
}
