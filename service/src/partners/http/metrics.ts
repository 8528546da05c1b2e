import { createServer, type Server, type ServerResponse } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { ErrorCode } from "../../glossary.ts";
import { newRequestId } from "../../ground/lib/ids.ts";
import type { CountRun } from "../../ground/lib/task.ts";
import { errorBody, failedMessage, statusOf } from "./errors.ts";
import { addFigure, createFigures, type FigureOptions, type Figures, type Sample } from "./figure-metrics.ts";
import { createHelpLinks, type HelpLinks } from "./help-links.ts";
import {
	createJobMetrics,
	createTaskMetrics,
	createWebhookMetrics,
	createWorkMetrics,
	type JobMetrics,
	type WebhookMetrics,
	type WorkMetrics,
} from "./work-metrics.ts";

/** Upper bounds of the latency, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts one reply of an operation: its status, its duration in milliseconds, and the code of an error. */
export type CountReply = (status: number, ms: number, code?: ErrorCode) => void;

export interface Metrics {
	readonly registry: Registry;
	/** The counter of one operation: plain numbers on the hot path, with labels added only at a scrape. */
	operation(id: string): CountReply;
	/** The counter of one task's runs. */
	task(name: string): CountRun;
	readonly jobs: JobMetrics;
	readonly work: WorkMetrics;
	/** A figure that tasks update. */
	figures(options: FigureOptions): Figures;
	/** A figure with labels that is read at each scrape. */
	figure(options: FigureOptions, read: () => readonly Sample[] | Promise<readonly Sample[]>): void;
	readonly webhooks: WebhookMetrics;
	/** A number read at each scrape. */
	gauge(name: string, help: string, read: () => number): void;
}

interface Series {
	readonly byStatus: Map<number, number>;
	readonly byCode: Map<ErrorCode, number>;
	readonly buckets: Float64Array;
	sum: number;
	count: number;
}

export function createMetrics(): Metrics {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry });
	const series = new Map<string, Series>();
	registry.registerMetric(requestsTotal(series) as never);
	registry.registerMetric(requestSeconds(series) as never);
	registry.registerMetric(errorsTotal(series) as never);
	return {
		registry,
		operation(id) {
			const one = series.get(id) ?? newSeries();
			series.set(id, one);
			return (status, ms, code) => {
				count(one, status, ms);
				if (code !== undefined) one.byCode.set(code, (one.byCode.get(code) ?? 0) + 1);
			};
		},
		task: createTaskMetrics(registry),
		jobs: createJobMetrics(registry),
		work: createWorkMetrics(registry),
		figures: (options) => createFigures(registry, options),
		figure: (options, read) => addFigure(registry, options, read),
		webhooks: createWebhookMetrics(registry),
		gauge: (name, help, read) => addFigure(registry, { name, help }, () => [{ labels: {}, value: read() }]),
	};
}

const newSeries = (): Series => ({
	byStatus: new Map(),
	byCode: new Map(),
	buckets: new Float64Array(BUCKETS.length + 1),
	sum: 0,
	count: 0,
});

function count(series: Series, status: number, ms: number): void {
	series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1);
	const seconds = ms / 1000;
	let bucket = 0;
	while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket++;
	series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
	series.sum += seconds;
	series.count++;
}

/** The part of a metric that prom-client needs to print it. */
interface Printable {
	readonly name: string;
	get(): { name: string; help: string; type: string; aggregator: string; values: Value[] };
	reset(): void;
}
interface Value {
	readonly metricName?: string;
	readonly labels: Record<string, string | number>;
	readonly value: number;
}

const printable = (name: string, help: string, type: "counter" | "histogram", values: () => Value[]): Printable => ({
	name,
	reset: () => undefined,
	get: () => ({ name, help, type, aggregator: "sum", values: values() }),
});

const requestsTotal = (series: ReadonlyMap<string, Series>): Printable =>
	printable("holdfast_http_requests_total", "Replies, by operation and status.", "counter", () =>
		[...series].flatMap(([operation, { byStatus }]) =>
			[...byStatus].map(([status, value]) => ({ labels: { operation, status }, value })),
		),
	);

const errorsTotal = (series: ReadonlyMap<string, Series>): Printable =>
	printable("holdfast_http_errors_total", "Errors that were answered, by operation and code.", "counter", () =>
		[...series].flatMap(([operation, { byCode }]) =>
			[...byCode].map(([code, value]) => ({ labels: { operation, code }, value })),
		),
	);

const SECONDS = "holdfast_http_request_seconds";
const requestSeconds = (series: ReadonlyMap<string, Series>): Printable =>
	printable(SECONDS, "Time from a request's headers to its reply, by operation.", "histogram", () =>
		[...series].flatMap(([operation, one]) => histogram(SECONDS, operation, one)),
	);

function histogram(name: string, operation: string, { buckets, sum, count: total }: Series): Value[] {
	let cumulated = 0;
	const values: Value[] = BUCKETS.map((le, index) => {
		cumulated += buckets[index] ?? 0;
		return { metricName: `${name}_bucket`, labels: { le, operation }, value: cumulated };
	});
	values.push({ metricName: `${name}_bucket`, labels: { le: "+Inf", operation }, value: total });
	values.push({ metricName: `${name}_sum`, labels: { operation }, value: sum });
	values.push({ metricName: `${name}_count`, labels: { operation }, value: total });
	return values;
}

/** The server that Prometheus scrapes: `/metrics` and nothing else. Not started yet. */
export function createMetricsServer(metrics: Metrics, help: HelpLinks = createHelpLinks()): Server {
	const answerError = errorAnswerer(help);
	return createServer((request, response) => {
		if (request.url !== "/metrics")
			return answerError(response, "not_found", "There is nothing at this path but /metrics.");
		if (request.method !== "GET") {
			response.setHeader("Allow", "GET");
			return answerError(response, "bad_request", "This path only supports GET.", 405);
		}
		metrics.registry.metrics().then(
			(text) => response.writeHead(200, { "Content-Type": metrics.registry.contentType }).end(text),
			() => answerError(response, "internal_error", failedMessage("GET")),
		);
	});
}

/** Answers errors in the usual envelope. */
const errorAnswerer =
	(help: HelpLinks) =>
	(response: ServerResponse, code: ErrorCode, message: string, status = statusOf(code)): void => {
		response.writeHead(status, {
			"Content-Type": "application/json; charset=utf-8",
			"Cache-Control": "no-store",
			Link: help.of(code),
			"X-Content-Type-Options": "nosniff",
			"X-Request-Id": newRequestId(),
		});
		response.end(errorBody(code, message));
	};
