import { describe, expect, it } from "vitest";
import { isDrawn, readTraceParent, writeTraceParent } from "./trace-parent.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const READ = { traceId: TRACE, spanId: SPAN, sampled: true };

describe("traceparent", () => {
	it.each([
		{ of: "a recorded span", header: `00-${TRACE}-${SPAN}-01`, read: READ },
		{ of: "one that is not recorded", header: `00-${TRACE}-${SPAN}-00`, read: { ...READ, sampled: false } },
		{ of: "flags that are not known", header: `00-${TRACE}-${SPAN}-03`, read: READ },
		{ of: "a later version", header: `cc-${TRACE}-${SPAN}-01-what-the-future-holds`, read: READ },
		{ of: "more than version 00 has", header: `00-${TRACE}-${SPAN}-01-more`, read: null },
		{ of: "the version that is forbidden", header: `ff-${TRACE}-${SPAN}-01`, read: null },
		{ of: "no trace", header: `00-${"0".repeat(32)}-${SPAN}-01`, read: null },
		{ of: "no span", header: `00-${TRACE}-${"0".repeat(16)}-01`, read: null },
		{ of: "capitals", header: `00-${TRACE.toUpperCase()}-${SPAN}-01`, read: null },
		{ of: "a word", header: "trace-me", read: null },
		{ of: "nothing", header: undefined, read: null },
		{ of: "two headers", header: [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`], read: null },
		{ of: "a header without end", header: `cc-${TRACE}-${SPAN}-01-${"x".repeat(600)}`, read: null },
	])("of $of is read as it should be", ({ header, read }) => {
		expect(readTraceParent(header)).toEqual(read);
	});

	it("that is written is read again", () => {
		expect(readTraceParent(writeTraceParent(READ))).toEqual(READ);
	});
});

it.each([
	{ digits: "00000000", percent: 0, drawn: false },
	{ digits: "00000000", percent: 1, drawn: true },
	{ digits: "7fffffff", percent: 50, drawn: true },
	{ digits: "80000000", percent: 50, drawn: false },
	{ digits: "ffffffff", percent: 100, drawn: true },
])("a trace that ends in $digits is among $percent percent: $drawn", ({ digits, percent, drawn }) => {
	expect(isDrawn(`${TRACE.slice(8)}${digits}`, percent)).toBe(drawn);
});
