import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CUSTOMER } from "../contract/order-world.ts";
import { newPartner } from "../doors.ts";
import { until } from "../processes/child.ts";
import { type Collected, type Collector, openCollector } from "./collector.ts";
import { openStage, type Post, type Stage } from "./stage.ts";

/* Traces of real requests and deliveries, as a collector gets them over HTTP. */

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const TRACED = { traceparent: `00-${TRACE}-${CALLER}-01` };
const UNTRACED = { traceparent: `00-${"1".repeat(32)}-${CALLER}-00` };
const REF = "a-reference-of-the-partner";

let collector: Collector;
let stage: Stage;
let token: string;
let post: Post;

beforeAll(async () => {
	collector = await openCollector();
	stage = await openStage({ HOLDFAST_OTLP_URL: collector.url });
	await stage.house.stock({ TEA: 100 });
	token = await stage.mint(newPartner(), "live");
	post = await stage.endpoint(token, ["order.cancelled"]);
});
afterAll(async () => {
	await stage.clear();
	await stage.close();
	await collector.close();
});

const call = (path: string, body: object, headers: Record<string, string> = {}) =>
	stage.house.call(token, path, { body, headers });
const reserve = async (headers: Record<string, string>): Promise<{ token: string; requestId: string }> => {
	const body = { items: [{ sku: "TEA", qty: 1 }], external_ref: REF };
	const { json, headers: told } = await call("/api/v1/reserve", body, headers);
	return { token: json.data.reservation_token, requestId: told.get("x-request-id") ?? "" };
};

/** The span of this name in a trace, once it has arrived. */
const arrived = (name: string, of: (span: Collected) => boolean = () => true): Promise<Collected> =>
	until(`the span ${name}`, () => collector.spans().find((span) => span.name === name && of(span)));
const isCommitted = ({ attributes }: Collected): boolean => attributes.get("holdfast.committed") === "true";
const childOf = (parent: Collected) => (span: Collected) =>
	span.parentSpanId === parent.spanId && span.traceId === parent.traceId;

describe("A traced request", () => {
	it("has its gate, its batch and the statements of it in its caller's trace", async () => {
		const { requestId } = await reserve(TRACED);
		const gate = await arrived("reserve", (span) => span.traceId === TRACE);
		expect([gate.parentSpanId, gate.kind]).toEqual([CALLER, 2]);
		expect(Object.fromEntries(gate.attributes)).toEqual({
			"http.request.method": "POST",
			"http.response.status_code": "201",
			"holdfast.request_id": requestId,
		});
		const ofGate = childOf(gate);
		const batch = await arrived("batch", (span) => ofGate(span) && isCommitted(span));
		expect([batch.kind, batch.attributes.get("holdfast.commands")]).toEqual([1, "1"]);
		const statements = collector.spans().filter(childOf(batch));
		expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(["begin", "commit"]));
		expect(statements.length).toBeGreaterThan(4);
		for (const inner of [batch, ...statements]) {
			expect(BigInt(inner.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(gate.startTimeUnixNano));
			expect(BigInt(inner.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(gate.endTimeUnixNano));
		}
	});

	it("that shares a batch with others is linked to them", async () => {
		const traces = Array.from({ length: 20 }, (_, n) => String(n).padStart(2, "0").repeat(15) + "ff");
		await Promise.all(
			traces.map((traceId) =>
				call("/api/v1/reserve", { items: [{ sku: "TEA", qty: 1 }] }, { traceparent: `00-${traceId}-${CALLER}-01` }),
			),
		);
		for (const traceId of traces) await arrived("batch", (span) => span.traceId === traceId);
		const shared = collector.spans().filter(({ name, links }) => name === "batch" && (links?.length ?? 0) > 0);
		expect(shared.length).toBeGreaterThan(0);
	});

	it("passes its trace on in the post of the event that it caused", async () => {
		const { token: reservation_token } = await reserve(TRACED);
		await call("/api/v1/orders", { reservation_token, customer: CUSTOMER }, { "idempotency-key": "one" });
		const { json } = await call("/api/v1/orders/one/cancel", {}, TRACED);
		expect(json.data.status).toBe("cancelled");
		const told = await until("the event", () => post.receiver.arrived.find(({ headers }) => headers.traceparent));
		const delivery = await arrived("delivery", ({ traceId }) => traceId === TRACE);
		expect(told.headers.traceparent).toBe(`00-${TRACE}-${delivery.spanId}-01`);
		const cancel = await arrived("cancelOrder", (span) => span.spanId === delivery.parentSpanId);
		expect(cancel.traceId).toBe(TRACE);
		expect(Object.fromEntries(delivery.attributes)).toEqual({
			"http.request.method": "POST",
			"http.response.status_code": "200",
			"holdfast.event_id": told.headers["webhook-id"],
		});
	});

	it("that is refused has the code of its refusal", async () => {
		await call("/api/v1/reserve", { items: [{ sku: "TEA", qty: 1_000 }] }, TRACED);
		const refused = await arrived("reserve", ({ attributes }) => attributes.get("holdfast.code") === "no_inventory");
		expect(refused.attributes.get("http.response.status_code")).toBe("409");
		expect(refused.status).toBeUndefined();
	});
});

it("a request whose caller does not record is not recorded", async () => {
	const { requestId } = await reserve(UNTRACED);
	const after = await reserve({});
	await arrived("reserve", ({ attributes }) => attributes.get("holdfast.request_id") === after.requestId);
	expect(collector.spans().filter(({ attributes }) => attributes.get("holdfast.request_id") === requestId)).toEqual([]);
});

it("no span has a secret, a partner's reference or address, or anything of a customer", async () => {
	await arrived("delivery");
	const all = collector.requests.map(({ body }) => body).join("\n");
	for (const secret of [
		token.split(":")[1] ?? "",
		REF,
		CUSTOMER.name,
		CUSTOMER.email,
		CUSTOMER.ship_to.line1,
		post.receiver.url,
	])
		expect(all.includes(secret), secret).toBe(false);
	expect(all).toContain('"name":"delivery"');
});

it("without a collector's address nothing is traced, and one that is not there costs nobody anything", async () => {
	expect(stage.house.deps.traces).not.toBeNull();
	const [off, away] = await Promise.all([openStage(), openStage({ HOLDFAST_OTLP_URL: "http://127.0.0.1:9" })]);
	for (const other of [off, away]) {
		await other.house.stock({ TEA: 100 });
		const key = await other.mint(newPartner(), "live");
		const replies = Array.from({ length: 50 }, () =>
			other.house.call(key, "/api/v1/reserve", { body: { items: [{ sku: "TEA", qty: 1 }] }, headers: TRACED }),
		);
		expect(new Set((await Promise.all(replies)).map(({ status }) => status))).toEqual(new Set([201]));
	}
	expect(off.house.deps.traces).toBeNull();
	await until("spans to be dropped", () => (away.house.deps.traces?.counts().dropped ?? 0) > 0);
	for (const other of [off, away]) await other.close();
});
