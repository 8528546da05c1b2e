import { describe, expect, it } from "vitest";
import { verifyWebhook } from "../../webhooks/verify.ts";
import { type DeliveryKind, deliveryOf, newEventId, problemWith } from "./delivery.ts";
import { passedOn } from "./forward.ts";
import { EVENT_TYPES, sampleBody } from "./sample-events.ts";

const NOW = Date.parse("2026-12-01T08:00:00.000Z");
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** What the SDK's own receiver says about a delivery: the type of its event, or why it is refused. */
async function receive(kind: DeliveryKind, body = sampleBody("order.shipped", new Date(NOW))): Promise<string> {
	const delivery = await deliveryOf(kind, newEventId(), body, SECRET, NOW);
	return await verifyWebhook(delivery, SECRET, { clock: { now: () => NOW } }).then(
		({ type }) => type,
		({ code }: { code: string }) => code,
	);
}

describe("A delivery", () => {
	it.each([
		["good", "order.shipped"],
		["again", "order.shipped"],
		["bad_signature", "signature_mismatch"],
		["late", "timestamp_out_of_tolerance"],
	] as const)("%s is received as %s", async (kind, said) => {
		expect(await receive(kind)).toBe(said);
	});

	it.each(EVENT_TYPES)("of %s is one of the SDK's events", async (type) => {
		expect(await receive("good", sampleBody(type, new Date(NOW)))).toBe(type);
	});

	it("says its times and names as the service does", () => {
		expect(JSON.parse(sampleBody("order.shipped", new Date(NOW)))).toMatchObject({
			timestamp: "2026-12-01T08:00:00.000Z",
			environment: "sandbox",
			data: {
				order_status: "shipped",
				shipment: { shipped_at: "2026-12-01T08:00:00.000Z", items: [{ lots: [{ units: 2 }] }] },
			},
		});
	});
});

describe("An answer", () => {
	it.each([
		["good", 200, true],
		["good", 204, true],
		["good", 302, false],
		["good", 500, false],
		["good", 410, false],
		["again", 200, true],
		["again", 409, false],
		["bad_signature", 401, true],
		["bad_signature", 400, true],
		["bad_signature", 200, false],
		["bad_signature", 410, false],
		["bad_signature", 500, false],
		["late", 400, true],
		["late", 204, false],
	] as const)("to %s of %d is right: %j", (kind, status, isRight) => {
		expect(problemWith(kind, { status, ms: 1, error: null }) === null).toBe(isRight);
	});

	it("that never came is told with its reason", () => {
		expect(problemWith("good", { status: null, ms: 1, error: "ECONNREFUSED" })).toBe(
			"There was no answer: ECONNREFUSED",
		);
	});
});

it("What is forwarded has every header but those of the connection, as it was spelt", () => {
	const raw = [
		"Host",
		"a",
		"Webhook-Id",
		"evt_1",
		"webhook-signature",
		"v1,x",
		"Connection",
		"close",
		"Content-Length",
		"2",
	];
	expect(passedOn([...raw, "Transfer-Encoding", "chunked", "X-A", "1", "X-A", "2"])).toEqual(
		"Webhook-Id evt_1 webhook-signature v1,x X-A 1 X-A 2".split(" "),
	);
});
