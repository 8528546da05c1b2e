import { afterEach, describe, expect, it } from "vitest";
import { type Collector, openCollector } from "../../../test/webhooks/collector.ts";
import type { TraceSpan } from "./otlp.ts";
import { createTraces, newSpanId, type Traces } from "./traces.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const PARENT = `00-${TRACE}-${CALLER}-01`;
/** A port that nothing listens at. */
const NOWHERE = "http://127.0.0.1:9";

const collectors: Collector[] = [];
afterEach(async () => {
	await Promise.all(collectors.splice(0).map((one) => one.close()));
});

const tracesTo = (url: string, percent = 100, lost: unknown[] = []): Traces =>
	createTraces({ url, percent, version: "1.2.3", onLost: (error) => void lost.push(error) });
const collect = async (...answers: Parameters<typeof openCollector>): Promise<Collector> => {
	const collector = await openCollector(...answers);
	collectors.push(collector);
	return collector;
};
const span = (name: string): TraceSpan => ({
	traceId: TRACE,
	spanId: newSpanId(),
	parentId: null,
	kind: "internal",
	name,
	startMs: 1,
	endMs: 2,
	attributes: {},
});

describe("A request's span", () => {
	it("belongs to its caller's trace, or begins one", () => {
		const traces = tracesTo(NOWHERE);
		expect(traces.begin("req_1", PARENT)).toMatchObject({ traceId: TRACE, parentId: CALLER });
		const own = traces.begin("req_2", undefined);
		expect(own).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), parentId: null });
		expect([traces.placeOf("req_2"), traces.placeOf("req_3")]).toEqual([own, undefined]);
	});

	it("is not recorded if its caller does not record, or if its trace is not drawn", () => {
		expect(tracesTo(NOWHERE).begin("req_1", PARENT.replace(/01$/, "00"))).toBeNull();
		expect(tracesTo(NOWHERE, 0).begin("req_1", PARENT)).toBeNull();
		expect(tracesTo(NOWHERE, 0).continue("evt_1")).toBeNull();
	});

	it("is what its event's delivery belongs to, where that is remembered", () => {
		const traces = tracesTo(NOWHERE);
		const request = traces.begin("req_1", PARENT);
		traces.remember("evt_1", "req_1");
		traces.remember("evt_2", "req_2");
		expect(traces.continue("evt_1")).toMatchObject({ traceId: TRACE, parentId: request?.spanId });
		expect(traces.continue("evt_2")).toMatchObject({ parentId: null });
	});
});

describe("Spans", () => {
	it("are sent to the collector, the last ones by a stop", async () => {
		const collector = await collect();
		const traces = tracesTo(collector.url);
		for (let n = 0; n < 1_000; n++) traces.record(span(`n${n}`));
		await traces.stop();
		expect(collector.spans().map(({ name }) => name)).toEqual(Array.from({ length: 1_000 }, (_, n) => `n${n}`));
		expect(collector.requests.map(({ path, type }) => [path, type])).toEqual([
			["/v1/traces", "application/json"],
			["/v1/traces", "application/json"],
		]);
		expect(traces.counts()).toEqual({ sent: 1_000, dropped: 0, waiting: 0 });
	});

	it("are dropped beyond a number, while a collector does not answer", async () => {
		const collector = await collect("never");
		const traces = tracesTo(`${collector.url}/v1/traces`);
		for (let n = 0; n < 20_000; n++) traces.record(span("n"));
		const { sent, dropped, waiting } = traces.counts();
		expect([sent, waiting]).toEqual([0, 8_192]);
		expect(dropped).toBe(20_000 - 8_192 - 512); // those that are on their way
		await traces.stop(); // does not wait for it
	});

	it.each([
		{ of: "is not there", open: async () => NOWHERE },
		{ of: "refuses them", open: async () => (await collect(503)).url },
		{ of: "leads elsewhere", open: async () => (await collect(302)).url },
	])("are let go if the collector $of, and that is told", async ({ open }) => {
		const lost: unknown[] = [];
		const traces = tracesTo(await open(), 100, lost);
		traces.record(span("n"));
		await expect.poll(() => traces.counts()).toEqual({ sent: 0, dropped: 1, waiting: 0 });
		expect(lost).toHaveLength(1);
		await traces.stop();
	});
});
