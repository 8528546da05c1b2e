import type { ErrorCode } from "../glossary.ts";
import { type Authenticate, isStranger, type Stranger } from "../keys/authenticate.ts";
import type { Standing } from "../keys/key.ts";
import type { RateLimit } from "../keys/rate-limit.ts";
import { isRefusal, type Refusal, refuse } from "../lib/refusal.ts";
import type { Addresses } from "./address.ts";
import { type ApiDate, type ApiDates, type Shape, shapesOf } from "./api-date.ts";
import { readBody } from "./body.ts";
import type { BodyBudget } from "./body-budget.ts";
import { type Checker, checkerOf } from "./checker.ts";
import type { Connections } from "./connections.ts";
import { etagOf, matches } from "./etag.ts";
import { framingProblem } from "./framing.ts";
import { FAILURES_PER_MINUTE } from "./limits.ts";
import { mostValues } from "./most-values.ts";
import type { AnyHandler, AnyReply } from "./mount.ts";
import type { Operation } from "./operation.ts";
import { type Query, queryReader } from "./query.ts";
import type { Destination, Visit } from "./visit.ts";

/** What the gate asks at each step. */
export interface GateKeepers {
	readonly authenticate: Authenticate;
	/** Requests per key. The COA address draws on the same one. */
	readonly rateLimit: RateLimit;
	/** Failed authentications per address. */
	readonly failures: RateLimit;
	/** Whose address counts. */
	readonly addresses: Addresses;
	/** Of the process. */
	readonly connections: Connections;
	/** Large bodies in flight. */
	readonly bodies: BodyBudget;
	readonly dates: ApiDates;
}

/** An operation with everything compiled that a request of it needs. */
export interface Station extends Destination {
	readonly operation: Operation;
	readonly handle: AnyHandler;
	/** By age of the API date. */
	readonly looks: readonly Look[];
	readonly checkParams: Checker | null;
}

/** An operation as it looks on one API date. */
interface Look {
	readonly shape: Shape;
	readonly readQuery: (url: string) => Query | Refusal<"invalid_input">;
	readonly checkQuery: Checker;
	readonly checkBody: Checker;
	/** Values in a body that are worth reading. */
	readonly mostValues: number;
}

export function stationOf(
	operation: Operation,
	handle: AnyHandler,
	dates: ApiDates,
	count: Destination["count"],
): Station {
	const looks = shapesOf(operation, dates).map((shape) => ({
		shape,
		readQuery: queryReader(shape.query),
		checkQuery: checkerOf(shape.query),
		checkBody: checkerOf(shape.body),
		mostValues: mostValues(shape.body),
	}));
	const checkParams = operation.params === undefined ? null : checkerOf(operation.params);
	return { id: operation.id, statuses: operation.statuses, count, operation, handle, looks, checkParams };
}

const UNAUTHORIZED = refuse(
	"unauthorized",
	"Missing or invalid credentials. Send 'Authorization: Bearer <API_KEY>:<SECRET>' with a live key.",
);
const FAILED = refuse(
	"internal_error",
	"Something failed on our side. Try again with the same external_ref: what was done is not done twice.",
);

/** The whole way of a request, in the order of decisions.md, section 2. Path and method have found the station already. */
export function walk(keepers: GateKeepers, station: Station, visit: Visit, params: unknown): void {
	const { operation } = station;
	const { headers } = visit.request;
	const unsure = framingProblem(visit.request);
	if (unsure !== null) return visit.refuse(unsure, undefined, "Connection", "close");
	const dated = operation.anyDate
		? keepers.dates.current
		: keepers.dates.understand(headers["x-partner-version"] as string | undefined);
	if (!isRefusal(dated)) visit.apiDate = dated;
	if (operation.scope === null)
		return isRefusal(dated) ? visit.refuse(dated) : readRequest(keepers, station, visit, dated, params);
	const judged = (judgement: Standing | Stranger): void => {
		if (isStranger(judgement)) return turnAway(keepers, visit, judgement);
		keepers.connections.vouch(visit.request.socket);
		if (admit(keepers, operation, visit, judgement, dated)) readRequest(keepers, station, visit, visit.apiDate, params);
	};
	const judgement = keepers.authenticate(headers.authorization);
	if (judgement instanceof Promise) judgement.then(judged).catch((error: unknown) => fail(visit, error));
	else judged(judgement);
}

/**
 * 401, or 429 once this address has failed too often. A key that was good once is told 401 in any case: its owner must learn of its end whatever
 * others behind the same address did.
 */
function turnAway(keepers: GateKeepers, visit: Visit, stranger: Stranger): void {
	if (stranger === "ended") return visit.refuse(UNAUTHORIZED);
	const { allowed, seconds } = keepers.failures.take(keepers.addresses.of(visit.request), FAILURES_PER_MINUTE);
	if (allowed) return visit.refuse(UNAUTHORIZED);
	const message = `More than ${FAILURES_PER_MINUTE} failed authentications in a minute from this address.`;
	visit.refuse(refuse("rate_limited", message, seconds));
}

/** Rate limit, API date, scope. */
function admit(
	keepers: GateKeepers,
	{ scope }: Operation,
	visit: Visit,
	standing: Standing,
	dated: ApiDate | Refusal<ErrorCode>,
): boolean {
	const { caller } = standing;
	const verdict = keepers.rateLimit.take(caller.keyId, caller.requestsPerMinute);
	visit.caller = caller;
	visit.standing = standing;
	visit.verdict = verdict;
	if (!verdict.allowed) {
		const message = `More than ${caller.requestsPerMinute} requests in 60 seconds. Try again in ${verdict.seconds} s.`;
		visit.refuse(refuse("rate_limited", message, verdict.seconds));
		return false;
	}
	if (isRefusal(dated)) {
		visit.refuse(dated);
		return false;
	}
	if (scope !== null && !caller.scopes.has(scope)) {
		visit.refuse(refuse("forbidden", `This key does not have the scope ${scope}.`));
		return false;
	}
	return true;
}

/** Body, query and path parameters; then the operation. */
function readRequest({ bodies }: GateKeepers, station: Station, visit: Visit, date: ApiDate, params: unknown): void {
	const look = station.looks[date.age] as Look;
	const { operation } = station;
	if (operation.method === "GET") return checkRequest(station, look, visit, undefined, params);
	const rules = {
		optional: operation.body === undefined,
		mostValues: look.mostValues,
		account: () => bodies.open(visit.caller?.keyId ?? "", visit.response),
	};
	readBody(visit.request, rules, (read) =>
		ifStillInForce(visit, () => {
			if ("problem" in read) visit.refuse(read.problem, read.status);
			else checkRequest(station, look, visit, read.body, params);
		}),
	);
}

/** A body may take its time: the key that was good when it began is judged again now that it is here (decisions.md, section 12). */
function ifStillInForce(visit: Visit, go: () => void): void {
	const { standing } = visit;
	const inForce = standing === null || standing.inForce();
	if (inForce === true) return go();
	if (inForce === false) return visit.refuse(UNAUTHORIZED);
	standing
		?.confirm()
		.then((confirmed) => (confirmed ? go() : visit.refuse(UNAUTHORIZED)))
		.catch((error: unknown) => fail(visit, error));
}

function checkRequest(station: Station, look: Look, visit: Visit, body: unknown, params: unknown): void {
	const query = look.readQuery(visit.request.url ?? "");
	if (isRefusal(query)) return visit.refuse(query);
	const problem =
		(body === undefined ? null : look.checkBody(body)) ??
		look.checkQuery(query) ??
		(station.checkParams === null ? null : station.checkParams(params));
	if (problem !== null) return visit.refuse(refuse("invalid_input", problem));
	try {
		const answer = station.handle({
			caller: visit.caller,
			standing: visit.standing,
			body: station.operation.body === undefined ? undefined : look.shape.bodyUp(body),
			query: station.operation.query === undefined ? undefined : look.shape.queryUp(query),
			params,
			requestId: visit.requestId,
		});
		if (!(answer instanceof Promise)) return reply(station, look, visit, answer);
		answer.then((settled) => reply(station, look, visit, settled)).catch((error: unknown) => fail(visit, error));
	} catch (error) {
		fail(visit, error);
	}
}

function reply(station: Station, look: Look, visit: Visit, answer: AnyReply | Refusal): void {
	// in whatever words a use case says it: one 401 is like the other
	if (isRefusal(answer)) return visit.refuse(answer.refusal === "unauthorized" ? UNAUTHORIZED : answer);
	const { status, headers } = answer;
	const data = look.shape.down(status, answer.data);
	const body = `{"data":${JSON.stringify(data)}}`;
	const more: string[] = [];
	for (const name in headers) if (headers[name] !== undefined) more.push(name, headers[name]);
	if (station.operation.conditional && status === 200) return conditionally(visit, data, body, more);
	more.push("Cache-Control", "no-store");
	visit.write(status, body, more);
}

/** 200 with its ETag, or 304 when the caller has this already. */
function conditionally(visit: Visit, data: unknown, body: string, more: string[]): void {
	const asOf = typeof data === "object" && data !== null && "as_of" in data ? data.as_of : undefined;
	const etag = etagOf(body, asOf, visit.caller?.pk ?? "", visit.apiDate.date);
	more.push("ETag", etag, "Cache-Control", "private, no-cache", "Vary", "Authorization, X-Partner-Version");
	const known = matches(visit.request.headers["if-none-match"], etag);
	visit.write(known ? 304 : 200, known ? null : body, more);
}

/** A bug, or a database that cannot be reached: the caller learns that it may try again, the log learns why. */
export function fail(visit: Visit, error: unknown): void {
	visit.lodge.onFailed(error, { requestId: visit.requestId, operation: visit.destination.id });
	visit.refuse(FAILED);
}
