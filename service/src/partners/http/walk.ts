import type { ErrorCode } from "../../glossary.ts";
import { NO_PRIMARY, PrimaryMissing } from "../../ground/lib/no-primary.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { PoolBusy } from "../../ground/pg/faults.ts";
import type { Addresses } from "./address.ts";
import type { ApiDate } from "./api-date.ts";
import { type BodyKind, readBody } from "./body.ts";
import type { BodyBudget } from "./body-budget.ts";
import { isUnauthenticated, type Standing, TooManyWait, type Unauthenticated, wereNeverValid } from "./caller.ts";
import type { Connections } from "./connections.ts";
import { failedMessage } from "./errors.ts";
import { invalidInput, refusalOfSubtree } from "./findings.ts";
import type { UploadedFile } from "./form.ts";
import { framingProblem } from "./framing.ts";
import { FAILURES_PER_MINUTE } from "./limits.ts";
import type { AnyReply } from "./mount.ts";
import type { Operation } from "./operation.ts";
import type { QueryValues } from "./query.ts";
import type { RateLimit } from "./rate-limit.ts";
import { reply } from "./reply.ts";
import type { RequestContext } from "./request-context.ts";
import type { Route, RouteVersion } from "./route.ts";
import type { Someone } from "./surface.ts";
import { unkindRefusal } from "./unkind-reply.ts";

/** Seconds after which a request that found no room may be sent again. */
const AGAIN_AFTER_SECONDS = 1;

/** State at the gate that all surfaces of the process share. */
export interface GateDeps {
	/** Requests per caller, by the name that its surface counts them under. */
	readonly rateLimit: RateLimit;
	/** Failed authentications per address. */
	readonly failures: RateLimit;
	/** Determines a request's address: without trusted proxies, the connection's. */
	readonly addresses: Addresses;
	/** Open connections: descriptors belong to the process. */
	readonly connections: Connections;
	/** Large bodies in flight. */
	readonly bodies: BodyBudget;
	/** Forms in flight, which have their own budget. */
	readonly forms: BodyBudget;
}

/** The checks of a request, in the order of settlements, section 2. Path and method have already been matched. */
export function walk(deps: GateDeps, route: Route, context: RequestContext, params: unknown): void {
	const { operation, surface } = route;
	const { headers } = context.request;
	context.params = params;
	const unsure = framingProblem(context.request);
	if (unsure !== null) return context.refuse(unsure, undefined, "Connection", "close");
	const dated = operation.anyDate
		? route.dates.current
		: route.dates.understand(headers["x-partner-version"] as string | undefined);
	if (!isRefusal(dated)) context.apiDate = dated;
	if (operation.scope === null) {
		const foreign = surface.refuseByHeaders?.(context.request, operation, null) ?? null;
		const refused = isRefusal(dated) ? dated : (foreign ?? tooManyFromThere(deps, operation, context));
		return refused !== null ? context.refuse(refused) : readRequest(deps, route, context);
	}
	const authenticated = (judged: Standing<Someone> | Unauthenticated<Someone>): void => {
		const result = operation.inDrill && isUnauthenticated(judged) ? (judged.inDrill ?? judged) : judged;
		if (isUnauthenticated(result)) return refuseUnauthenticated(deps, route, context, result);
		const { caller } = result;
		deps.connections.vouch(context.request, surface.budget.nameOf(caller), context.startedAt);
		if (authorize(deps, route, context, result, dated)) readRequest(deps, route, context);
	};
	const result = surface.authenticate(context.request, () => deps.addresses.of(context.request));
	if (result instanceof Promise) result.then(authenticated).catch((error: unknown) => fail(context, error));
	else authenticated(result);
}

/** Counts a request without a key for its address. Null if the limit is not exceeded. */
function tooManyFromThere(
	{ failures, addresses }: GateDeps,
	{ id, perAddress, missesPerAddress }: Operation,
	{ request }: RequestContext,
): Refusal<"rate_limited"> | null {
	const most = missesPerAddress ?? perAddress;
	if (most === undefined) return null;
	const name = `${id} ${addresses.of(request)}`;
	// a miss is counted when it is answered
	const { allowed, seconds } = missesPerAddress === undefined ? failures.take(name, most) : failures.look(name, most);
	if (allowed) return null;
	const what = missesPerAddress === undefined ? "from this address" : "from this address found nothing";
	return refuse("rate_limited", `More than ${most} requests in a minute ${what}. Try again in ${seconds} s.`, seconds);
}

/**
 * 401, or 429 once this address has failed too often. A key that was valid once always gets 401: its owner must learn
 * that it ended, whatever others behind the same address did.
 */
function refuseUnauthenticated(
	deps: GateDeps,
	route: Route,
	context: RequestContext,
	unauthenticated: Unauthenticated<Someone>,
): void {
	const { unauthorized } = route;
	const { security } = route.surface;
	context.unauthenticated = unauthenticated;
	if (unauthenticated.owner !== undefined) return refuseRecorded(route, context, unauthenticated.owner, unauthorized);
	if (!wereNeverValid(unauthenticated)) return context.refuse(unauthorized);
	const { allowed, seconds } = deps.failures.take(deps.addresses.of(context.request), FAILURES_PER_MINUTE);
	if (allowed) {
		const wrong = security.wrongForm?.(context.request) ?? null;
		return context.refuse(wrong === null ? unauthorized : refuse("unauthorized", wrong));
	}
	const message = `More than ${FAILURES_PER_MINUTE} failed authentications in a minute from this address. Correct the credentials, and try again in ${seconds} s.`;
	refuseOnceMore(deps, context, refuse("rate_limited", message, seconds));
}

/** Refuses a known caller; the surface may record it first. */
function refuseRecorded(
	{ surface, operation, checkParams }: Route,
	context: RequestContext,
	who: Someone,
	refusal: Refusal<"forbidden" | "unauthorized" | "second_factor_needed">,
): void {
	const { requestId } = context;
	const params = checkParams?.(context.params) === null ? (context.params as { readonly [name: string]: string }) : {};
	const recorded = surface.recordRefused?.(who, { operation, params, requestId, code: refusal.refusal });
	if (recorded === undefined) context.refuse(refusal);
	else recorded.then(() => context.refuse(refusal)).catch((error: unknown) => fail(context, error));
}

/** 429. After too many in a row the connection is closed, and a new one counts as unauthenticated. */
function refuseOnceMore({ connections }: GateDeps, context: RequestContext, refusal: Refusal<"rate_limited">): void {
	const { socket } = context.request;
	if (!connections.refused(socket)) return context.refuse(refusal);
	connections.end(socket);
	context.refuse(refusal, undefined, "Connection", "close");
}

/** Checks rate limit, API date and scope. */
function authorize(
	deps: GateDeps,
	route: Route,
	context: RequestContext,
	standing: Standing<Someone>,
	dated: ApiDate | Refusal<ErrorCode>,
): boolean {
	const { caller } = standing;
	const { surface } = route;
	const { scope } = route.operation;
	const perMinute = surface.budget.perMinute(caller);
	const verdict = deps.rateLimit.take(surface.budget.nameOf(caller), perMinute);
	context.caller = caller;
	context.standing = standing;
	context.verdict = verdict;
	if (!verdict.allowed) {
		const message = `More than ${perMinute} requests in 60 seconds. Try again in ${verdict.seconds} s.`;
		refuseOnceMore(deps, context, refuse("rate_limited", message, verdict.seconds));
		return false;
	}
	deps.connections.served(context.request.socket);
	if (isRefusal(dated)) {
		context.refuse(dated);
		return false;
	}
	if (scope !== null && !surface.may(caller, scope)) {
		refuseRecorded(route, context, caller, refuse("forbidden", surface.security.lacks(scope)));
		return false;
	}
	const refused = surface.refuseByHeaders?.(context.request, route.operation, caller) ?? null;
	if (refused !== null) refuseRecorded(route, context, caller, refused);
	return refused === null;
}

/** Reads request headers, body, query and path parameters, then runs the operation. */
function readRequest(deps: GateDeps, route: Route, context: RequestContext): void {
	const version = route.versions[context.apiDate.age] as RouteVersion;
	const { operation, readHeaders } = route;
	if (readHeaders !== null) {
		const given = readHeaders(context.request);
		if (isRefusal(given)) return context.refuse(given);
		context.headers = given;
	}
	if (operation.method === "GET") return checkRequest(deps, route, version, context, NO_BODY);
	const rules = {
		optional: operation.body === undefined,
		mostValues: version.mostValues,
		mostFiles: operation.files?.most ?? 0,
		account: (kind: BodyKind) => {
			const name = context.caller === null ? "" : route.surface.budget.nameOf(context.caller);
			return (kind === "form" ? deps.forms : deps.bodies).open(name, context.response);
		},
	};
	readBody(context.request, rules, (read) => {
		context.received = read.bytes ?? null;
		ifStillInForce(route, context, () => {
			if ("problem" in read) context.refuse(read.problem, read.status);
			else checkRequest(deps, route, version, context, read);
		});
	});
}

/** A body as it was read. */
interface Sent {
	readonly body: unknown;
	readonly files: readonly UploadedFile[];
}
const NO_BODY: Sent = { body: undefined, files: [] };

/** A body may arrive slowly, so the key is judged again once it is complete (settlements, section 12). */
function ifStillInForce(route: Route, context: RequestContext, go: () => void): void {
	const { standing } = context;
	if (standing === null) return go();
	const goIf = (inForce: boolean): void =>
		inForce ? go() : refuseRecorded(route, context, standing.caller, route.unauthorized);
	const inForce = standing.inForce();
	if (inForce !== "stale") return goIf(inForce);
	standing
		.confirm()
		.then(goIf)
		.catch((error: unknown) => fail(context, error));
}

function checkRequest(
	{ failures, addresses }: GateDeps,
	route: Route,
	version: RouteVersion,
	context: RequestContext,
	{ body, files }: Sent,
): void {
	const { params } = context;
	context.body = body;
	const query = version.readQuery(context.request.url ?? "");
	if (isRefusal(query)) return context.refuse(query);
	const problem = problemOf(route, version, body, query, params);
	if (problem !== null) return context.refuse(problem);
	const unkind = unkindRefusal(context, route.operation);
	if (unkind !== null) return context.refuse(unkind);
	const { id, missesPerAddress } = route.operation;
	const from = route.operation.scope === null ? addresses.of(context.request) : "";
	const finish = (answer: AnyReply | Refusal): void => {
		const isMiss = missesPerAddress !== undefined && isRefusal(answer) && answer.refusal === "not_found";
		if (isMiss) failures.take(`${id} ${from}`, missesPerAddress);
		reply(route, version, context, answer);
	};
	try {
		const answer = route.handle({
			caller: context.caller,
			standing: context.standing,
			body: route.operation.body === undefined ? undefined : version.shape.bodyUp(body),
			query: route.operation.query === undefined ? undefined : version.shape.queryUp(query),
			params,
			headers: context.headers,
			files,
			requestId: context.requestId,
			from,
			cameTo: cameTo(context.request),
		});
		if (!(answer instanceof Promise)) return finish(answer);
		answer.then(finish).catch((error: unknown) => fail(context, error));
	} catch (error) {
		fail(context, error);
	}
}

/** The header Host; null: the request came through a socket, where the header says nothing. */
const cameTo = ({ socket, headers }: RequestContext["request"]): string | null =>
	socket.localPort === undefined ? null : (headers.host ?? null);

/** Problems of the body, the query or the path come first, then those of a part of the body with its own code. */
function problemOf(
	{ operation, checkParams }: Route,
	version: RouteVersion,
	body: unknown,
	query: QueryValues,
	params: unknown,
): Refusal | null {
	const wrong = body === undefined ? null : version.checkBody(body);
	const inSubtree = wrong === null ? null : refusalOfSubtree(operation.codes, wrong);
	if (wrong !== null && inSubtree === null) return invalidInput(wrong);
	const elsewhere = version.checkQuery(query) ?? (checkParams === null ? null : checkParams(params));
	return elsewhere === null ? inSubtree : invalidInput(elsewhere);
}

/**
 * A bug, or an unreachable database: the caller learns that it may retry, and the log gets the cause. If too many
 * requests wait, for the keys to be read or, as reads, for a connection, or if no primary is known, only the caller is
 * informed.
 */
export function fail(context: RequestContext, error: unknown): void {
	if (error instanceof TooManyWait) return context.refuse(refuse("rate_limited", error.message, AGAIN_AFTER_SECONDS));
	if (error instanceof PrimaryMissing) return context.refuse(NO_PRIMARY);
	if (error instanceof PoolBusy && ["GET", "HEAD"].includes(context.request.method ?? "")) {
		const message = "Too many requests are waiting for the database at this moment: send the request again.";
		return context.refuse(refuse("rate_limited", message, AGAIN_AFTER_SECONDS));
	}
	context.server.onFailed(error, { requestId: context.requestId, operation: context.target.id });
	context.refuse(refuse("internal_error", failedMessage(context.request.method)));
}
