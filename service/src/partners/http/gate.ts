import type { HTTPMethods } from "fastify";
import { assert } from "../../ground/lib/assert.ts";
import { NO_DATES } from "./api-date.ts";
import type { Metrics } from "./metrics.ts";
import type { Gate } from "./mount.ts";
import type { Operation } from "./operation.ts";
import { RequestContext, type ServerState } from "./request-context.ts";
import { routeOf } from "./route.ts";
import type { RouteRaw } from "./server.ts";
import { anySurface, type Surface } from "./surface.ts";
import { type GateDeps, walk } from "./walk.ts";

/** Everything that the server supplies to each of its gates. */
export interface GateGround {
	readonly deps: GateDeps;
	readonly metrics: Metrics;
	readonly state: ServerState;
	readonly routeRaw: RouteRaw;
	/** Ids of all operations of the server, which must be unique: metrics and log lines use them as names. */
	readonly taken: Set<string>;
}

/** The gate of one surface: every request passes the same checks in the same order. */
export function createGate<Who>(
	surface: Surface<Who>,
	{ deps, metrics, state, routeRaw, taken }: GateGround,
): Gate<Who> {
	const dates = surface.dates ?? NO_DATES;
	const operations: Operation[] = [];
	return {
		surface,
		operations,
		dates,
		add(operation, handle, { errorPage } = {}) {
			assert(!taken.has(operation.id), `two operations are called ${operation.id}`);
			taken.add(operation.id);
			operations.push(operation);
			const route = routeOf(anySurface(surface), operation, handle, metrics.operation(operation.id), errorPage);
			// The whole walk runs in this first hook, so that no byte of a body is read before the key is known, and
			// the framework's own parsing, validation and reply cost nothing.
			const methods: HTTPMethods[] = operation.conditional ? [operation.method, "HEAD"] : [operation.method];
			routeRaw(methods, operation.path, (request, response, requestId, params) => {
				walk(deps, route, new RequestContext(request, response, requestId, route, dates.current, state), params);
			});
		},
	};
}
