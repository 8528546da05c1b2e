/** Test events that partners requested: one for each acknowledged request, and none without a request. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding, type Wrong } from "../../check/findings.ts";
import { type Exchange, outcomeOf } from "../../history.ts";
import { type Endpoint, GONE, type WebhookFacts } from "./notes.ts";

const PATH = /^\/api\/v1\/webhook-endpoints\/([^/]+)\/test$/;
/** Too busy, and a revoked key (judged by its own room). */
const ALWAYS = [401, 429];

interface Test {
	readonly exchange: Exchange;
	readonly endpointId: string;
	/** The event in the answer; null: none. */
	readonly eventId: string | null;
}

interface Reply {
	readonly data?: { readonly event_id?: string };
	readonly error?: { readonly code?: string };
}

const wrong = (kind: Wrong, what: string, at: number | null = null): Finding => finding(kind, what, at, "events");

function testsIn(on: Case): Test[] {
	return on.exchanges.flatMap((exchange): Test[] => {
		const endpointId = PATH.exec(exchange.path)?.[1];
		if (endpointId === undefined) return [];
		const { data } = (exchange.reply ?? {}) as Reply;
		return [{ exchange, endpointId, eventId: outcomeOf(exchange) === "done" ? (data?.event_id ?? "") : null }];
	});
}

export function judgeTests(on: Case, endpoints: readonly Endpoint[], facts: WebhookFacts | null): Finding[] {
	const tests = testsIn(on);
	const byId = new Map(endpoints.map((endpoint) => [endpoint.endpointId, endpoint]));
	return [
		...tests.flatMap((test) => judgeAnswer(on, test, byId.get(test.endpointId))),
		...(facts ? judgeEvents(tests, facts) : []),
	];
}

function judgeAnswer(on: Case, { exchange, eventId }: Test, endpoint: Endpoint | undefined): Finding[] {
	const { actor, path, status, reply, end } = exchange;
	if (status === null || status >= 500 || ALWAYS.includes(status)) return [];
	const own = endpoint?.partner === on.actor(actor).partner;
	if (eventId !== null)
		return own ? [] : [wrong("leak", `${path} of ${endpoint?.partner ?? "nobody"} was acknowledged to ${actor}`, end)];
	const { error } = (reply ?? {}) as Reply;
	if (!own && error?.code === "not_found") return [];
	const gone = endpoint?.posts.some(({ answer, at }) => answer === GONE && at <= end) ?? false;
	if (own && gone && error?.code === "invalid_input") return [];
	const kind = own && error?.code === "not_found" ? "lost" : "unexpected";
	return [wrong(kind, `${path} by ${actor} was refused with ${status} ${error?.code}`, end)];
}

function judgeEvents(tests: readonly Test[], { events }: WebhookFacts): Finding[] {
	const found = new Map(events.filter(({ only }) => only !== null).map((event) => [event.eventId, event]));
	const lost = tests.flatMap(({ eventId, endpointId, exchange }) =>
		eventId === null || found.get(eventId)?.only === endpointId
			? []
			: [wrong("lost", `test event ${eventId} of endpoint ${endpointId} was acknowledged`, exchange.end)],
	);
	const told = new Set(tests.map(({ eventId }) => eventId));
	const untold = Map.groupBy(
		[...found.values()].filter(({ eventId }) => !told.has(eventId)),
		({ only }) => only,
	);
	const doubled = [...untold].flatMap(([endpointId, own]) => {
		const unknown = tests.filter(
			(one) => one.endpointId === endpointId && outcomeOf(one.exchange) === "unknown",
		).length;
		if (own.length <= unknown) return [];
		return [wrong("doubled", `${own.length - unknown} test events of endpoint ${endpointId} were not requested`)];
	});
	return [...lost, ...doubled];
}
