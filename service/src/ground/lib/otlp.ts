import type { SpanPlace } from "./trace-parent.ts";

/** The kinds of a span, by OpenTelemetry's numbers. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const;

/** A span that has ended. Its attributes are our own names and numbers, never what a partner sent. */
export interface TraceSpan extends SpanPlace {
	readonly kind: keyof typeof SPAN_KINDS;
	readonly name: string;
	/** The span that it belongs to; null: it is the first of its trace. */
	readonly parentId: string | null;
	/** Monotonic milliseconds. */
	readonly startMs: number;
	readonly endMs: number;
	/** Absent or undefined: there is none of this name. */
	readonly attributes: { readonly [name: string]: string | number | boolean | undefined };
	/** Related spans of other traces. */
	readonly links?: readonly SpanPlace[];
	readonly failed?: boolean;
}

/** What all spans of a process have in common. */
export interface TracedProcess {
	readonly service: string;
	readonly version: string;
	/** Random; no two processes have the same. */
	readonly instance: string;
}

const STATUS_ERROR = 2;
const NANOSECONDS_OF_MS = 1_000_000n;

/** The body of a request to `/v1/traces` in OTLP's JSON form. `epochMs`: the wall clock's time at monotonic 0. */
export const otlpBody = (
	spans: readonly TraceSpan[],
	{ service, version, instance }: TracedProcess,
	epochMs: number,
): string =>
	JSON.stringify({
		resourceSpans: [
			{
				resource: {
					attributes: attributesOf({
						"service.name": service,
						"service.version": version,
						"service.instance.id": instance,
					}),
				},
				scopeSpans: [{ scope: { name: service, version }, spans: spans.map((span) => jsonOf(span, epochMs)) }],
			},
		],
	});

const jsonOf = (span: TraceSpan, epochMs: number) => ({
	traceId: span.traceId,
	spanId: span.spanId,
	...(span.parentId === null ? {} : { parentSpanId: span.parentId }),
	name: span.name,
	kind: SPAN_KINDS[span.kind],
	startTimeUnixNano: nanoseconds(epochMs + span.startMs),
	endTimeUnixNano: nanoseconds(epochMs + span.endMs),
	attributes: attributesOf(span.attributes),
	...(span.links === undefined ? {} : { links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
	...(span.failed === true ? { status: { code: STATUS_ERROR } } : {}),
});

/** A 64-bit number is a text in JSON. Microseconds are kept: a double cannot express today's time more precisely. */
const nanoseconds = (ms: number): string =>
	String(BigInt(Math.floor(ms)) * NANOSECONDS_OF_MS + BigInt(Math.floor((ms % 1) * 1_000)) * 1_000n);

const attributesOf = (attributes: TraceSpan["attributes"]) =>
	Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]));

function valueOf(value: string | number | boolean) {
	if (typeof value === "string") return { stringValue: value };
	if (typeof value === "boolean") return { boolValue: value };
	return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
