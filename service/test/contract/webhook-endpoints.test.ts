import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PlaceOrder } from "../../src/inventory/orders/contract.ts";
import {
	ChangeWebhookEndpoint,
	CreateWebhookEndpoint,
	DeleteWebhookEndpoint,
	GetWebhookEndpoint,
	ListWebhookDeliveries,
	ListWebhookEndpoints,
	RecoverWebhookEvents,
	RotateWebhookSecret,
	TestWebhookEndpoint,
} from "../../src/partners/webhooks/contract.ts";
import { MAX_ENDPOINTS } from "../../src/partners/webhooks/limits.ts";
import { until } from "../processes/child.ts";
import { letTimePass } from "../webhooks/events.ts";
import { ok, openReceiver, type Receiver, status } from "../webhooks/receiver.ts";
import { signedBy } from "../webhooks/signers.ts";
import { CUSTOMER } from "./order-world.ts";
import { openSandboxWorld, playerOf } from "./sandbox-world.ts";
import { unique, type World } from "./world.ts";

let world: World;
const receivers: Receiver[] = [];

beforeAll(async () => {
	world = await openSandboxWorld({ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
});
afterAll(() => world.stop());
afterEach(async () => {
	for (const receiver of receivers.splice(0)) await receiver.close();
});

const receive = async (...answer: Parameters<typeof openReceiver>): Promise<Receiver> => {
	const receiver = await openReceiver(...answer);
	receivers.push(receiver);
	return receiver;
};
const newKey = async (partner = world.partner(), brand?: string): Promise<string> =>
	(await world.key({ partner, ...(brand === undefined ? {} : { brand }) })).token;
async function create(key: string, url: string, more: object = {}) {
	const answer = await world.call(CreateWebhookEndpoint, key, { url, ...more });
	if (answer.status === 201) signedBy(answer.data.endpoint_id, url, [answer.data.secret]);
	return answer;
}
const at = (endpoint_id: string) => ({ params: { endpoint_id } });
const get = (key: string, id: string) => world.call(GetWebhookEndpoint, key, undefined, at(id));
const change = (key: string, id: string, body: object) => world.call(ChangeWebhookEndpoint, key, body, at(id));
const remove = (key: string, id: string) => world.call(DeleteWebhookEndpoint, key, undefined, at(id));
const rotate = (key: string, id: string, body: object = {}) => world.call(RotateWebhookSecret, key, body, at(id));
const test = (key: string, id: string) => world.call(TestWebhookEndpoint, key, undefined, at(id));
const deliveries = (key: string, id: string, query: object = {}) =>
	world.call(ListWebhookDeliveries, key, query, at(id));
const recover = (key: string, id: string, since: string) => world.call(RecoverWebhookEvents, key, { since }, at(id));

/** Waits until the newest delivery of the endpoint satisfies a condition. */
const delivered = (key: string, id: string, wanted: string, attempts = 1) =>
	until(`a delivery that is ${wanted}`, async () => {
		const last = (await deliveries(key, id)).data.items.at(-1);
		return last?.status === wanted && last.attempts.length >= attempts ? last : null;
	});

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

describe("An endpoint", () => {
	it("201: is registered with its secret, which is shown only this once and not stored in the clear", async () => {
		const [key, receiver] = [await newKey(), await receive()];
		const { status: code, data } = await create(key, receiver.url, { description: "the shop" });
		expect(code).toBe(201);
		expect(data).toEqual({
			endpoint_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
			url: receiver.url,
			event_types: ["order.shipped", "order.held"],
			description: "the shop",
			status: "active",
			inactive_reason: null,
			version: "2026-09-06",
			created_at: INSTANT,
			updated_at: INSTANT,
			secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
		});
		const { secret, ...rest } = data;
		expect((await get(key, data.endpoint_id)).data).toEqual(rest);
		expect((await world.call(ListWebhookEndpoints, key, {})).data.items).toEqual([rest]);
		const { rows } = await world.db.query<{ sealed: Buffer }>("select sealed from webhook_secret");
		const bytes = Buffer.from(secret.slice(6), "base64");
		for (const { sealed } of rows) expect([sealed.includes(secret), sealed.includes(bytes)]).toEqual([false, false]);
	});

	it("200: is changed in part, and what is absent stays", async () => {
		const [key, receiver] = [await newKey(), await receive()];
		const { data } = await create(key, receiver.url, { event_types: ["order.held"], description: "a" });
		const changed = (await change(key, data.endpoint_id, { url: `${receiver.url}?x=1` })).data;
		expect(changed).toMatchObject({ url: `${receiver.url}?x=1`, event_types: ["order.held"], description: "a" });
		expect((await change(key, data.endpoint_id, { description: null })).data.description).toBeNull();
		const off = (await change(key, data.endpoint_id, { status: "inactive" })).data;
		expect(off).toMatchObject({ status: "inactive", inactive_reason: "partner" });
		expect((await change(key, data.endpoint_id, { status: "active" })).data.inactive_reason).toBeNull();
	});

	it("200 {ok: true}: is deleted, and is not there any more for anything", async () => {
		const [key, receiver] = [await newKey(), await receive()];
		const { endpoint_id: id } = (await create(key, receiver.url)).data;
		expect((await remove(key, id)).data).toEqual({ ok: true });
		const answers = [
			await get(key, id),
			await change(key, id, { status: "active" }),
			await remove(key, id),
			await rotate(key, id),
			await test(key, id),
			await deliveries(key, id),
			await recover(key, id, "2026-01-01T00:00:00Z"),
		];
		for (const answer of answers) expect(answer.verdict).toBe("404 not_found");
		expect((await world.call(ListWebhookEndpoints, key, {})).data.items).toEqual([]);
		const { rows } = await world.db.query("select from webhook_secret where endpoint_id = $1", [id]);
		expect(rows).toEqual([]);
	});

	it("belongs to its partner and environment: to every other key it does not exist, and to the partner's keys it does", async () => {
		const [partner, receiver] = [world.partner(), await receive()];
		const key = await newKey(partner);
		const { endpoint_id: id } = (await create(key, receiver.url)).data;
		expect((await get(await newKey(partner), id)).status).toBe(200);
		for (const other of [await newKey(), await newKey(partner, "SANDBOX")]) {
			const answers = [
				await get(other, id),
				await change(other, id, { status: "inactive" }),
				await remove(other, id),
				await rotate(other, id),
				await test(other, id),
				await deliveries(other, id),
				await recover(other, id, "2026-01-01T00:00:00Z"),
			];
			for (const answer of answers) {
				expect(answer.verdict).toBe("404 not_found");
				expect(answer.error.message).toBe("There is no webhook endpoint with this id.");
			}
			expect((await world.call(ListWebhookEndpoints, other, {})).data.items).toEqual([]);
		}
		expect((await get(key, id)).data.status).toBe("active");
	});

	it.each([
		["no URL", {}],
		["no scheme", { url: "example.com/hook" }],
		["another scheme", { url: "ftp://example.com/hook" }],
		["plain http to the internet", { url: "http://93.184.216.34/hook" }],
		["a private address", { url: "https://10.0.0.1/hook" }],
		["this machine under version 6", { url: "https://[::1]/hook" }],
		["the metadata of a cloud", { url: "https://169.254.169.254/latest" }],
		["a number that is a private address", { url: "https://167772161/" }],
		["a name that leads nowhere", { url: "https://nothing.invalid/" }],
		["a password", { url: "https://user:secret@93.184.216.34/hook" }],
		["a fragment", { url: "https://93.184.216.34/hook#a" }],
		["an unknown type", { url: "https://93.184.216.34/", event_types: ["order.placed"] }],
		["the type of tests", { url: "https://93.184.216.34/", event_types: ["webhook.test"] }],
		["no types", { url: "https://93.184.216.34/", event_types: [] }],
		["a type twice", { url: "https://93.184.216.34/", event_types: ["order.held", "order.held"] }],
		["an unknown field", { url: "https://93.184.216.34/", secret: "whsec_x" }],
		["a long description", { url: "https://93.184.216.34/", description: "x".repeat(501) }],
	])("400 invalid_input: %s", async (_what, body) => {
		const key = await newKey();
		expect((await world.send(CreateWebhookEndpoint, key, body)).verdict).toBe("400 invalid_input");
		expect((await world.call(ListWebhookEndpoints, key, {})).data.items).toEqual([]);
	});

	it("400 invalid_input: one more than there may be, however many come at once; a change to a refused URL", async () => {
		const [key, receiver] = [await newKey(), await receive()];
		const answers = await Promise.all(Array.from({ length: MAX_ENDPOINTS + 3 }, () => create(key, receiver.url)));
		expect(answers.filter(({ status: code }) => code === 201)).toHaveLength(MAX_ENDPOINTS);
		expect(answers.filter(({ verdict }) => verdict === "400 invalid_input")).toHaveLength(3);
		const [{ endpoint_id: id } = { endpoint_id: "" }] = (await world.call(ListWebhookEndpoints, key, { limit: 1 })).data
			.items;
		expect((await change(key, id, { url: "https://10.0.0.1/" })).verdict).toBe("400 invalid_input");
		expect((await get(key, id)).data.url).toBe(receiver.url);
	});

	it.each([[{ overlap_hours: -1 }], [{ overlap_hours: 169 }], [{ overlap_hours: 1.5 }], [{ hours: 1 }]])(
		"400 invalid_input: a rotation with %j",
		async (body) => {
			const [key, receiver] = [await newKey(), await receive()];
			const { endpoint_id: id } = (await create(key, receiver.url)).data;
			expect((await world.send(RotateWebhookSecret, key, body, at(id))).verdict).toBe("400 invalid_input");
		},
	);
});

describe("Events", () => {
	it("of an order arrive signed, with the bytes that were recorded, and each attempt is seen", async () => {
		const [key, receiver] = [await newKey(undefined, "SANDBOX"), await receive()];
		const { endpoint_id: id, secret } = (await create(key, receiver.url)).data;
		const player = playerOf(world, key);
		const order = await player.placed();
		await player.advance(order.ref, "held");
		const delivery = await delivered(key, id, "delivered");
		const [post] = receiver.arrived;
		if (post === undefined) throw new Error("nothing arrived");
		const body = receiver.verify(secret, post) as { type: string; data: { order_id: string } };
		expect(body).toMatchObject({ type: "order.held", environment: "sandbox", data: { order_id: order.orderId } });
		expect(post.headers).toMatchObject({ "webhook-id": delivery.event_id, "content-type": "application/json" });
		const { rows } = await world.db.query("select body from event where event_id = $1", [delivery.event_id]);
		expect(rows).toEqual([{ body: post.body }]);
		expect(delivery).toEqual({
			delivery_id: expect.any(String) as string,
			event_id: delivery.event_id,
			type: "order.held",
			status: "delivered",
			attempts: [
				{
					at: INSTANT,
					duration_ms: expect.any(Number) as number,
					status: 200,
					error: null,
					response_excerpt: "thank you",
				},
			],
			next_attempt_at: null,
		});
	});

	it("of types that were not chosen are not sent, nor those of another partner or environment", async () => {
		const [partner, chosen, other] = [world.partner(), await receive(), await receive()];
		const sandbox = await newKey(partner, "SANDBOX");
		await create(sandbox, chosen.url, { event_types: ["order.shipped"] });
		await create(await newKey(partner), other.url);
		await create(await newKey(undefined, "SANDBOX"), other.url);
		const player = playerOf(world, sandbox);
		const { ref } = await player.placed();
		await player.advance(ref, "held");
		const shipped = await player.placed();
		await player.advance(shipped.ref, "shipped");
		await until("the event", () => chosen.arrived.length > 0);
		expect(chosen.arrived.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(["order.shipped"]);
		expect(other.arrived).toEqual([]);
	});

	it("202: a test event arrives as others do, whatever types were chosen, at its endpoint alone", async () => {
		const [key, receiver, other] = [await newKey(), await receive(), await receive()];
		const { endpoint_id: id, secret } = (await create(key, receiver.url, { event_types: ["order.held"] })).data;
		await create(key, other.url);
		const answer = await test(key, id);
		expect(answer.status).toBe(202);
		const delivery = await delivered(key, id, "delivered");
		expect(delivery).toMatchObject({ event_id: answer.data.event_id, type: "webhook.test" });
		const [post] = receiver.arrived;
		expect(post && receiver.verify(secret, post)).toMatchObject({ type: "webhook.test", data: { endpoint_id: id } });
		expect(other.arrived).toEqual([]);
	});

	it("are tried again after a failure, with the same id and bytes and a time of its own, and both attempts are seen", async () => {
		const [key, receiver] = [await newKey(), await receive(status(500))];
		const { endpoint_id: id } = (await create(key, receiver.url)).data;
		await test(key, id);
		const failed = await delivered(key, id, "pending");
		expect(failed.attempts).toMatchObject([{ status: 500, error: null, response_excerpt: "answer 500" }]);
		expect(failed.next_attempt_at).toEqual(INSTANT);
		receiver.answer = ok;
		await letTimePass(world.db, 10_000);
		const done = await delivered(key, id, "delivered", 2);
		expect(done.attempts.map(({ status: code }) => code)).toEqual([500, 200]);
		const [first, second] = receiver.arrived;
		expect([first?.body, first?.headers["webhook-id"]]).toEqual([second?.body, second?.headers["webhook-id"]]);
	});

	it("410 deactivates: nothing is sent any more, events are recorded, and recover sends them when it is active again", async () => {
		const [key, receiver] = [await newKey(undefined, "SANDBOX"), await receive(status(410))];
		const { endpoint_id: id } = (await create(key, receiver.url)).data;
		const since = new Date(Date.now() - 60_000).toISOString();
		const player = playerOf(world, key);
		const one = await player.placed();
		await player.advance(one.ref, "held");
		await until("the end", async () => (await get(key, id)).data.inactive_reason === "gone");
		expect((await deliveries(key, id)).data.items).toMatchObject([{ status: "dropped", next_attempt_at: null }]);
		const two = await player.placed();
		await player.advance(two.ref, "held");
		expect((await test(key, id)).verdict).toBe("400 invalid_input");
		expect((await recover(key, id, since)).verdict).toBe("400 invalid_input");
		expect(receiver.arrived).toHaveLength(1);
		receiver.answer = ok;
		await change(key, id, { status: "active" });
		const end = (await deliveries(key, id)).data.next_cursor;
		const recovered = await recover(key, id, since);
		expect([recovered.status, recovered.data]).toEqual([202, { events: 2 }]);
		// a reader at the end of the list is shown both: the one that was dropped, and the one that was never added
		expect((await deliveries(key, id, { cursor: end })).data.items).toHaveLength(2);
		await until("both", async () => (await deliveries(key, id, { status: "delivered" })).data.items.length === 2);
		expect((await recover(key, id, since)).data).toEqual({ events: 0 });
		expect((await deliveries(key, id, { status: "dropped" })).data.items).toEqual([]);
	});

	it("400 invalid_input: recover since what is no time; deliveries with a status that is none", async () => {
		const [key, receiver] = [await newKey(), await receive()];
		const { endpoint_id: id } = (await create(key, receiver.url)).data;
		expect((await recover(key, id, "yesterday")).verdict).toBe("400 invalid_input");
		expect((await world.send(ListWebhookDeliveries, key, { status: "lost" }, at(id))).verdict).toBe(
			"400 invalid_input",
		);
	});
});

describe("A rotation", () => {
	it("200: both secrets sign for the overlap, then the new one alone; with 0 the old one ends at once", async () => {
		const [key, receiver] = [await newKey(), await receive()];
		const first = (await create(key, receiver.url)).data;
		const id = first.endpoint_id;
		const second = (await rotate(key, id, { overlap_hours: 1 })).data;
		expect(second.secret).not.toBe(first.secret);
		signedBy(id, receiver.url, [first.secret, second.secret]);
		await test(key, id);
		const one = await until("the first", () => receiver.arrived[0]);
		expect(one.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
		await letTimePass(world.db, 3_600_000);
		signedBy(id, receiver.url, [second.secret]);
		await test(key, id);
		const two = await until("the second", () => receiver.arrived[1]);
		expect(() => receiver.verify(first.secret, two)).toThrow();
		const third = (await rotate(key, id, { overlap_hours: 0 })).data;
		signedBy(id, receiver.url, [third.secret]);
		await test(key, id);
		const three = await until("the third", () => receiver.arrived[2]);
		expect(() => receiver.verify(second.secret, three)).toThrow();
	});
});

describe("The way of orders", () => {
	it("is not longer for an endpoint that hangs: orders are placed and held as before", async () => {
		const [key, receiver] = [await newKey(undefined, "SANDBOX"), await receive(() => undefined)];
		await create(key, receiver.url);
		const player = playerOf(world, key);
		for (let n = 0; n < 3; n++) {
			const { ref } = await player.placed();
			expect((await player.advance(ref, "held")).status).toBe(200);
		}
		expect(
			(
				await world.call(
					PlaceOrder,
					key,
					{ reservation_token: await player.hold(), customer: CUSTOMER },
					{ headers: { "idempotency-key": unique("cart") } },
				)
			).status,
		).toBe(201);
	});
});
