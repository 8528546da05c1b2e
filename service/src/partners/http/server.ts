import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from "fastify";
import { newRequestId } from "../../ground/lib/ids.ts";
import type { Log, LogFields } from "../../ground/lib/log.ts";
import { refuse } from "../../ground/lib/refusal.ts";
import { throttledByKind } from "../../ground/lib/throttled.ts";
import type { Traces } from "../../ground/lib/traces.ts";
import { createAddresses } from "./address.ts";
import type { RecordAnswered } from "./answered.ts";
import { type ApiDates, createApiDates } from "./api-date.ts";
import { BodyBudget, FORM_LIMITS } from "./body-budget.ts";
import { answerClientError, answerConnect, type RawFacts } from "./client-error.ts";
import { createConnections } from "./connections.ts";
import { createDoor, type DoorDeps } from "./door.ts";
import { failedMessage } from "./errors.ts";
import { framingProblem } from "./framing.ts";
import { asksForConsole, asksForFront, frontPage, LOOK_UP_PATH, nothingPage } from "./front-page.ts";
import { createGate, type GateGround } from "./gate.ts";
import { createHelpLinks, type HelpLinks } from "./help-links.ts";
import { answerHook, HOOK_SECRET } from "./hook.ts";
import { createKeylessTurns, type KeylessTurns } from "./keyless-turns.ts";
import {
	CHECK_CONNECTIONS_EVERY_MS,
	HEADERS_TIMEOUT_MS,
	KEEP_ALIVE_TIMEOUT_MS,
	MAX_HEADER_BYTES,
	MAX_PARAM_LENGTH,
	REPLY_STALL_MS,
	REQUEST_TIMEOUT_MS,
	STREAM_STALL_MS,
} from "./limits.ts";
import { listenOnSocket } from "./listen-on-socket.ts";
import type { Metrics } from "./metrics.ts";
import type { HttpServer, PageReply, ShowPages } from "./mount.ts";
import { createRateLimit } from "./rate-limit.ts";
import { RequestContext, type ServerState, type Target } from "./request-context.ts";
import { endSlowReaders } from "./slow-readers.ts";
import { type Mounted, nothingHere } from "./unknown-path.ts";
import { fail, type GateDeps } from "./walk.ts";

/** What the servers of a process share is passed to each of them; absent: the server has its own. */
export interface ServerOptions extends Partial<GateDeps> {
	/** Turns of requests without a key; shared too. */
	readonly keyless?: KeylessTurns;
	readonly log: Log;
	readonly metrics: Metrics;
	/** Where errors are explained; shared too. Absent: relative to the requested address. */
	readonly help?: HelpLinks;
	/** The API dates of pages and unknown paths. Absent: the dates of this deployment. */
	readonly dates?: ApiDates;
	/** Milliseconds. Absent: STREAM_STALL_MS. */
	readonly streamStallMs?: number;
	/** The address at which buyers look up a lot, for the page of other addresses. Absent: there is none. */
	readonly coaUrl?: () => string;
	/** Keeps a log of answered requests. Absent: there is none. */
	readonly record?: RecordAnswered | undefined;
	/** Traces requests. Absent: nothing is traced. */
	readonly traces?: Traces | null;
}

/** One address of the service, with a gate for each surface served there. Every reply has the same headers. */
export function createHttpServer(options: ServerOptions): HttpServer {
	const { log, metrics, dates = createApiDates(), addresses = createAddresses(), help = createHelpLinks() } = options;
	const deps: GateDeps = {
		rateLimit: options.rateLimit ?? createRateLimit(),
		failures: options.failures ?? createRateLimit(),
		addresses,
		connections: options.connections ?? createConnections(addresses),
		bodies: options.bodies ?? new BodyBudget(),
		forms: options.forms ?? new BodyBudget(FORM_LIMITS),
	};
	const noRoute: Target = { id: "none", statuses: undefined, count: metrics.operation("none"), surface: null };
	const { streamStallMs = STREAM_STALL_MS, record = null, traces = null } = options;
	const addressOf = (request: IncomingMessage): string => addresses.of(request);
	const told = { log, onFailed: tellFailures(log), record, traces };
	const state: ServerState = { ...told, addressOf, help, streamStallMs, closing: false };
	const newContext: NewContext = (request, response, requestId, target = noRoute) => {
		const context = new RequestContext(request, response, requestId, target, dates.current, state);
		const dated = dates.understand(request.headers["x-partner-version"] as string | undefined);
		if (!("refusal" in dated)) context.apiDate = dated;
		return context;
	};
	const app = newServer({ apiDate: dates.current.date, help }, newContext, options.coaUrl);
	app.server.on("connection", (socket) => deps.connections.admit(socket));
	endSlowReaders(app.server);
	putDoor(app, { ...deps, keyless: options.keyless ?? createKeylessTurns() });
	const routeRaw = rawRouter(app);
	const ground: GateGround = { deps, metrics, state, routeRaw, taken: new Set() };
	return {
		app,
		help,
		gate: (surface) => createGate(surface, ground),
		serve(path, page) {
			const id = path.slice(1);
			servePage(routeRaw, newContext, path, {
				page,
				target: { ...noRoute, id, count: metrics.operation(id), unlogged: 200 },
			});
		},
		pages: (paths, show) => showPages(routeRaw, newContext, paths, show),
		hook(id, path, hook) {
			const target: Target = { ...noRoute, id, count: metrics.operation(id) };
			routeRaw(["POST"], `${path}/${HOOK_SECRET}`, (request, response, requestId, params) => {
				const context = new RequestContext(request, response, requestId, target, dates.current, state);
				if (!refuseUnsure(context)) answerHook(context, (params as { readonly secret: string }).secret, hook);
			});
		},
		async listen(port, host) {
			// for localhost, the framework would open a second server, on ::1, without the door
			await app.listen({ port, host: host === "localhost" ? "127.0.0.1" : host });
			return (app.server.address() as AddressInfo).port;
		},
		listenOnSocket: (path) => listenOnSocket(app, path),
		async close(withinMs) {
			state.closing = true;
			const deadline = setTimeout(() => app.server.closeAllConnections(), withinMs);
			await app.close();
			clearTimeout(deadline);
		},
	};
}

/** Handles connections and requests before the framework sees them. */
function putDoor(app: FastifyInstance, deps: DoorDeps): void {
	app.server.removeAllListeners("request");
	app.server.on("request", createDoor(deps, app.routing));
}

type RawHandler = (request: IncomingMessage, response: ServerResponse, requestId: string, params: unknown) => void;

/** Adds routes that the framework only matches: `handle` does everything else. */
export type RouteRaw = (method: HTTPMethods[], url: string, handle: RawHandler) => void;

const rawRouter =
	(app: FastifyInstance): RouteRaw =>
	(method, url, handle) => {
		const named = url.includes("/:");
		const onRequest = (request: FastifyRequest, reply: FastifyReply): void => {
			// the framework takes a trailing slash for an empty parameter
			if (named && Object.values(request.params as object).includes("")) {
				reply.callNotFound();
				return;
			}
			reply.hijack();
			handle(request.raw, reply.raw, request.id, request.params);
		};
		app.route({ method, url, onRequest, handler: unreachable });
	};

function servePage(
	routeRaw: RouteRaw,
	newContext: NewContext,
	path: string,
	{ page, target }: { readonly page: PageReply; readonly target: Target },
): void {
	routeRaw(["GET", "HEAD"], path, (request, response, requestId) => {
		const context = newContext(request, response, requestId, target);
		if (refuseUnsure(context)) return;
		page().then(
			({ status, body, code }) => {
				const explained = code === undefined ? [] : ["Link", context.server.help.of(code)];
				context.write(status, JSON.stringify(body), ["Cache-Control", "no-store", ...explained], code);
			},
			(error: unknown) => fail(context, error),
		);
	});
}

function showPages(routeRaw: RouteRaw, newContext: NewContext, paths: readonly string[], show: ShowPages): void {
	for (const url of paths) {
		routeRaw(["GET", "HEAD"], url, (request, response, requestId) => {
			const context = newContext(request, response, requestId);
			if (refuseUnsure(context)) return;
			const { headers } = context.apiDate;
			for (let at = 0; at + 1 < headers.length; at += 2)
				response.setHeader(headers[at] as string, headers[at + 1] as string);
			response.setHeader("X-Request-Id", requestId);
			response.setHeader("X-Content-Type-Options", "nosniff");
			show(request, response).catch((error: unknown) => fail(context, error));
		});
	}
}

type NewContext = (
	request: IncomingMessage,
	response: ServerResponse,
	requestId: string,
	target?: Target,
) => RequestContext;

/** Refuses an ambiguous request to a page or an unknown path, as walk() does for operations. */
function refuseUnsure(context: RequestContext): boolean {
	const unsure = framingProblem(context.request);
	if (unsure !== null) context.refuse(unsure, undefined, "Connection", "close");
	return unsure !== null;
}

/** Logs a recurring failure once with its stack, then a count every ten seconds, besides each request's line. */
function tellFailures(log: Log): ServerState["onFailed"] {
	return throttledByKind<LogFields>((error, count, again, where) => {
		if (!again) log.error("a request failed", where, error);
		else log.error("requests keep failing", { count, reason: String(error) });
	});
}

function newServer(facts: RawFacts, newContext: NewContext, coaUrl: ServerOptions["coaUrl"]): FastifyInstance {
	const app = Fastify({
		logger: false,
		genReqId: newRequestId,
		requestIdHeader: false,
		exposeHeadRoutes: false,
		return503OnClosing: false,
		forceCloseConnections: "idle",
		connectionTimeout: REPLY_STALL_MS,
		keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
		requestTimeout: REQUEST_TIMEOUT_MS,
		routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: () => NO_QUERY },
		http: {
			maxHeaderSize: MAX_HEADER_BYTES,
			headersTimeout: HEADERS_TIMEOUT_MS,
			connectionsCheckingInterval: CHECK_CONNECTIONS_EVERY_MS,
			requireHostHeader: false, // Node's own answer would lack our headers
			optimizeEmptyRequests: true,
		},
		clientErrorHandler: (error, socket) => {
			answerClientError(error, socket, facts);
		},
		frameworkErrors: (_error, request, reply) => {
			reply.hijack();
			newContext(request.raw, reply.raw, request.id).refuse(refuse("bad_request", "The address is not a valid path."));
		},
	});
	// a body that no operation asked for is never read
	app.removeAllContentTypeParsers();
	app.addContentTypeParser("*", (_request, _payload, done) => done(null));
	answerTheRest(app, newContext, coaUrl);
	app.server.on("connect", (_request, socket) => answerConnect(socket as Socket, facts));
	// an unknown Expect is ignored
	app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
	return app;
}

const NO_QUERY = {};

function unreachable(): never {
	throw new Error("bug: the gate lets nothing through to the framework");
}

const FRONT_HEADERS = ["Cache-Control", "no-store", "Content-Security-Policy", "default-src 'none'; img-src data:"];

/** 404, and 405 with `Allow`; a failure inside the framework is 400 or 500. */
function answerTheRest(app: FastifyInstance, newContext: NewContext, coaUrl: ServerOptions["coaUrl"]): void {
	const known: (Mounted & { readonly method: string })[] = [];
	app.addHook("onRoute", ({ method, url }) => {
		if (url.endsWith(HOOK_SECRET)) return; // the methods of a hook must not be revealed
		for (const one of [method].flat()) known.push({ method: one, url, pattern: patternOf(url) });
	});
	const answerNothing = (request: FastifyRequest, reply: FastifyReply): void => {
		reply.hijack();
		const context = newContext(request.raw, reply.raw, request.id);
		if (refuseUnsure(context)) return;
		const path = (request.raw.url ?? "").split("?", 1)[0] ?? "";
		const methods = [...new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
		if (asksForFront(request.raw, path)) {
			const isCoa = known.some(({ url }) => url === LOOK_UP_PATH);
			const elsewhere = coaUrl === undefined ? null : `${coaUrl()}${LOOK_UP_PATH}`;
			const page = frontPage(isCoa ? LOOK_UP_PATH.slice(1) : elsewhere);
			return context.write(200, page, FRONT_HEADERS, undefined, "text/html; charset=utf-8");
		}
		if (methods.length === 0 && asksForConsole(request.raw, path) && known.some(({ url }) => url === "/admin"))
			return context.write(404, nothingPage(path), FRONT_HEADERS, undefined, "text/html; charset=utf-8");
		if (methods.length === 0) return context.refuse(refuse("not_found", nothingHere(path, known)));
		const allow = methods.join(", ");
		context.refuse(refuse("bad_request", `This path only supports ${allow}.`), 405, "Allow", allow);
	};
	app.setNotFoundHandler(answerNothing);
	app.setErrorHandler((error, request, reply) => {
		if (request.is404) return answerNothing(request, reply);
		reply.hijack();
		const context = newContext(request.raw, reply.raw, request.id);
		context.server.log.error("the framework failed", { requestId: request.id }, error);
		context.refuse(refuse("internal_error", failedMessage(request.method)));
	});
}

/** The paths that a route matches: `:name` is one segment, `*` anything. */
function patternOf(url: string): RegExp {
	const source = url
		.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
		.replace(/:\w+/g, "[^/]+")
		.replaceAll("*", ".*");
	return new RegExp(`^${source}$`);
}
