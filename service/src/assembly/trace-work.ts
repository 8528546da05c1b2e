import type { Config } from "../config.ts";
import type { EngineHooks } from "../ground/engine/steps.ts";
import { monotonicMs } from "../ground/lib/clock.ts";
import type { Log } from "../ground/lib/log.ts";
import { throttled } from "../ground/lib/throttled.ts";
import type { SpanPlace } from "../ground/lib/trace-parent.ts";
import { createTraces, newSpanId, type Traces } from "../ground/lib/traces.ts";
import { readVersion } from "../ground/lib/version.ts";
import type { Metrics } from "../partners/http/metrics.ts";
import type { PartnerEvent } from "../partners/webhooks/event.ts";
import type { StepSettings } from "./steps.ts";

type TraceConfig = Pick<Config, "otlpUrl" | "otlpPercent">;

/** Maximum number of other requests that the span of a batch is linked to; a batch has at most 512 commands. */
const MOST_LINKS = 64;

/** The hooks by which batches, their statements and the events of commands come into the traces of requests. */
type TraceHooks = Required<Pick<EngineHooks, "traceBatch">> & Required<Pick<StepSettings, "onEvents">>;

/** Opens the traces of a process, and their hooks. `traces` null: it has no collector, and nothing is traced. */
export function openTraces(
	{ otlpUrl, otlpPercent }: TraceConfig,
	log: Log,
	metrics: Metrics,
): { readonly traces: Traces | null } & Partial<TraceHooks> {
	const lost = throttled((error, count) => log.warn("the collector takes no traces", { count }, error));
	const options = { percent: otlpPercent, version: readVersion(), onLost: lost };
	const traces = otlpUrl === null ? null : createTraces({ ...options, url: otlpUrl });
	const figure = { name: "holdfast_trace_spans", help: "Spans of traces, by outcome." };
	const counts = traces?.counts.bind(traces) ?? (() => ({ sent: 0, dropped: 0, waiting: 0 }));
	metrics.figure({ ...figure, labelNames: ["outcome"] }, () =>
		Object.entries(counts()).map(([outcome, value]) => ({ labels: { outcome }, value })),
	);
	return traces === null ? { traces } : { traces, ...hooksOf(traces) };
}

const hooksOf = (traces: Traces): TraceHooks => ({
	traceBatch(commands) {
		const places = placesOf(traces, commands);
		const [first, ...others] = places;
		if (first === undefined) return null;
		const startMs = monotonicMs();
		const own = { traceId: first.traceId, spanId: newSpanId() };
		return {
			statement(name, startMs, endMs) {
				const attributes = { "db.system.name": "postgresql", "db.query.summary": name };
				const span = { traceId: own.traceId, spanId: newSpanId(), parentId: own.spanId };
				traces.record({ ...span, kind: "client", name, startMs, endMs, attributes });
			},
			ended(committed) {
				const batch = {
					kind: "internal",
					name: "batch",
					startMs,
					endMs: monotonicMs(),
					// also false for an attempt that is made again, for example after a change of the catalogue
					attributes: { "holdfast.commands": commands.length, "holdfast.committed": committed },
				} as const;
				const links = others.slice(0, MOST_LINKS);
				traces.record({ ...batch, ...own, parentId: first.spanId, ...(links.length === 0 ? {} : { links }) });
				// the traces of the other requests also show the time of the batch, and link to the span with its
				// statements
				for (const { traceId, spanId } of links)
					traces.record({ ...batch, traceId, spanId: newSpanId(), parentId: spanId, links: [own] });
			},
		};
	},
	onEvents(command, events: readonly PartnerEvent[]) {
		const requestId = requestOf(command);
		if (requestId !== null) for (const { eventId } of events) traces.remember(eventId, requestId);
	},
});

/** The places of the traced requests behind these commands, each once. */
function placesOf(traces: Traces, commands: readonly unknown[]): SpanPlace[] {
	const places = new Set<SpanPlace>();
	for (const command of commands) {
		const requestId = requestOf(command);
		const place = requestId === null ? undefined : traces.placeOf(requestId);
		if (place !== undefined) places.add(place);
	}
	return [...places];
}

/** The request that a command carries out; null: none, it is the service's own or came by another way. */
const requestOf = (command: unknown): string | null =>
	(command as { readonly origin?: { readonly requestId?: string | null } }).origin?.requestId ?? null;
