import { expect, it } from "vitest";
import { otlpBody, type TraceSpan } from "./otlp.ts";

const SPAN: TraceSpan = {
	traceId: "0af7651916cd43dd8448eb211c80319c",
	spanId: "b7ad6b7169203331",
	parentId: null,
	kind: "server",
	name: "reserve",
	startMs: 1_000.25,
	endMs: 1_003.5,
	attributes: {},
};
const PROCESS = { service: "holdfast", version: "0.1.0", instance: "one" };
const EPOCH_MS = 1_790_000_000_000;

/** The only span in the body. */
const written = (span: Partial<TraceSpan>): unknown => {
	const body = JSON.parse(otlpBody([{ ...SPAN, ...span }], PROCESS, EPOCH_MS)) as {
		resourceSpans: [{ scopeSpans: [{ spans: [unknown] }] }];
	};
	return body.resourceSpans[0].scopeSpans[0].spans[0];
};
const PLAIN = {
	traceId: SPAN.traceId,
	spanId: SPAN.spanId,
	name: "reserve",
	kind: 2,
	startTimeUnixNano: "1790000001000250000",
	endTimeUnixNano: "1790000001003500000",
	attributes: [],
};

it.each<[of: string, span: Partial<TraceSpan>, json: unknown]>([
	["alone", {}, PLAIN],
	["of another one", { parentId: "00f067aa0ba902b7" }, { ...PLAIN, parentSpanId: "00f067aa0ba902b7" }],
	["inside", { kind: "internal" }, { ...PLAIN, kind: 1 }],
	["that calls", { kind: "client", failed: true }, { ...PLAIN, kind: 3, status: { code: 2 } }],
	["that went well", { failed: false }, PLAIN],
	[
		"with attributes",
		{ attributes: { a: "x", b: 201, c: 1.5, d: true, e: undefined } },
		{
			...PLAIN,
			attributes: [
				{ key: "a", value: { stringValue: "x" } },
				{ key: "b", value: { intValue: "201" } },
				{ key: "c", value: { doubleValue: 1.5 } },
				{ key: "d", value: { boolValue: true } },
			],
		},
	],
	[
		"with links",
		{ links: [{ traceId: "1".repeat(32), spanId: "2".repeat(16) }] },
		{ ...PLAIN, links: [{ traceId: "1".repeat(32), spanId: "2".repeat(16) }] },
	],
])("a span %s is written as OTLP says", (_of, span, json) => {
	expect(written(span)).toEqual(json);
});

it("spans come under the process that recorded them", () => {
	expect(JSON.parse(otlpBody([], PROCESS, EPOCH_MS))).toEqual({
		resourceSpans: [
			{
				resource: {
					attributes: [
						{ key: "service.name", value: { stringValue: "holdfast" } },
						{ key: "service.version", value: { stringValue: "0.1.0" } },
						{ key: "service.instance.id", value: { stringValue: "one" } },
					],
				},
				scopeSpans: [{ scope: { name: "holdfast", version: "0.1.0" }, spans: [] }],
			},
		],
	});
});
