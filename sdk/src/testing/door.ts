import { isRefusal, refuse } from "../../../service/src/ground/lib/refusal.ts";
import type { RecordAnswered } from "../../../service/src/partners/http/answered.ts";
import { createApiDates, NO_DATES } from "../../../service/src/partners/http/api-date.ts";
import type { HelpLinks } from "../../../service/src/partners/http/help-links.ts";
import type { AnyHandler, Gate } from "../../../service/src/partners/http/mount.ts";
import type { Operation } from "../../../service/src/partners/http/operation.ts";
import { createRateLimit, type RateLimit } from "../../../service/src/partners/http/rate-limit.ts";
import { RequestContext, type ServerState, type Target } from "../../../service/src/partners/http/request-context.ts";
import { type Route, routeOf } from "../../../service/src/partners/http/route.ts";
import { anySurface, type Surface } from "../../../service/src/partners/http/surface.ts";
import { nothingHere } from "../../../service/src/partners/http/unknown-path.ts";
import { type GateDeps, walk } from "../../../service/src/partners/http/walk.ts";
import { exchangeOf, FROM } from "./exchange.ts";
import { newRequestIdAt } from "./request-id.ts";
import { type Found, find, type Mount, mountOf } from "./router.ts";

export interface DoorMeans {
	/** Requests per key, by the fake's clock. */
	readonly rateLimit: RateLimit;
	readonly help: HelpLinks;
	/** Keeps a log of answered requests. */
	readonly record: RecordAnswered;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Wraps the handler of each operation. */
	readonly around: (handle: AnyHandler) => AnyHandler;
}

/** One address at which every surface is served, through the service's own gate. */
export interface Door {
	gate(surface: Surface): Gate;
	/** Answers a request. Rejects if the service's code throws, which would be a bug. */
	answer(asked: Request): Promise<Response>;
}

const DATES = createApiDates();

export function createDoor({ rateLimit, help, record, now, around }: DoorMeans): Door {
	const mounts: Mount<Route>[] = [];
	const deps = gateDepsOf(rateLimit, now);
	return {
		gate: (surface) =>
			createGate(surface, (operation, handle, errorPage) => {
				const route = routeOf(anySurface(surface), operation, around(handle), () => undefined, errorPage);
				const methods = operation.conditional ? [operation.method, "HEAD"] : [operation.method];
				mounts.push(mountOf(operation.path, methods, route));
			}),
		async answer(asked) {
			const body = asked.body === null ? null : Buffer.from(await asked.arrayBuffer());
			const { request, response, replied } = exchangeOf(asked, body, now());
			const failures: unknown[] = [];
			const state: ServerState = {
				log: SILENT,
				onFailed: (error) => void failures.push(error),
				help,
				traces: null,
				streamStallMs: 0,
				record,
				addressOf: () => FROM,
				closing: false,
			};
			const contextOf = (target: Target): RequestContext =>
				new RequestContext(request, response, newRequestIdAt(now()), target, DATES.current, state);
			const [path = ""] = (request.url ?? "").split("?", 1);
			const found = find(mounts, path, asked.method);
			if ("route" in found) walk(deps, found.route, contextOf(found.route), found.params);
			else refuseUnmatched(contextOf(NO_ROUTE), path, mounts, found);
			const reply = await replied;
			if (failures.length > 0) throw new Error("The service's code failed in memory.", { cause: failures[0] });
			return reply;
		},
	};
}

type Add = (operation: Operation, handle: AnyHandler, errorPage: Target["errorPage"]) => void;

function createGate(surface: Surface, add: Add): Gate {
	const operations: Operation[] = [];
	return {
		surface,
		operations,
		dates: surface.dates ?? NO_DATES,
		add(operation, handle, { errorPage } = {}) {
			operations.push(operation);
			add(operation, handle, errorPage);
		},
	};
}

/** The gate's state, without any connections. */
const gateDepsOf = (rateLimit: RateLimit, now: () => number): GateDeps =>
	({
		rateLimit,
		failures: createRateLimit({ now }),
		addresses: { of: () => FROM },
		connections: { vouch: () => undefined, served: () => undefined, refused: () => false, end: () => undefined },
		bodies: NO_LIMIT,
		forms: NO_LIMIT,
	}) as unknown as GateDeps;

const NO_LIMIT = { open: () => ({ take: () => true }) };

const silent = (): void => undefined;
const SILENT = { request: silent, debug: silent, info: silent, warn: silent, error: silent, flush: silent };

const NO_ROUTE: Target = { id: "none", statuses: undefined, count: () => undefined, surface: null };

/** 404, 405 with `Allow`, or 400 for an invalid path, as the service's server answers them. */
function refuseUnmatched(
	context: RequestContext,
	path: string,
	mounts: readonly Mount<Route>[],
	found: Exclude<Found<Route>, { readonly route: Route }>,
): void {
	const dated = DATES.understand(context.request.headers["x-partner-version"] as string | undefined);
	if (!isRefusal(dated)) context.apiDate = dated;
	if ("malformed" in found) return context.refuse(refuse("bad_request", "The address is not a valid path."));
	const allow = found.allowed.join(", ");
	if (allow === "") return context.refuse(refuse("not_found", nothingHere(path, mounts)));
	context.refuse(refuse("bad_request", `This path only supports ${allow}.`), 405, "Allow", allow);
}
