import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
	ChangeWebhookEndpoint,
	CreateWebhookEndpoint,
	DeleteWebhookEndpoint,
	ListWebhookDeliveries,
	ResendWebhookDelivery,
	TestWebhookEndpoint,
} from "../../src/partners/webhooks/contract.ts";
import { until } from "../processes/child.ts";
import { deliveredTo } from "../webhooks/events.ts";
import { openReceiver, type Receiver, status } from "../webhooks/receiver.ts";
import { signedBy } from "../webhooks/signers.ts";
import { neverIssued, openWorld, type World } from "./world.ts";

let world: World;
const receivers: Receiver[] = [];

beforeAll(async () => {
	world = await openWorld({ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
});
afterAll(() => world.stop());
afterEach(async () => {
	for (const receiver of receivers.splice(0)) await receiver.close();
});

/** A key of a new partner with an endpoint. */
async function opened(...answer: Parameters<typeof openReceiver>) {
	const receiver = await openReceiver(...answer);
	receivers.push(receiver);
	const { token: key } = await world.key({ partner: world.partner() });
	const { data } = await world.call(CreateWebhookEndpoint, key, { url: receiver.url });
	signedBy(data.endpoint_id, receiver.url, [data.secret]);
	return { receiver, key, id: data.endpoint_id };
}

const resend = (key: string, endpoint_id: string, delivery_id: string) =>
	world.call(ResendWebhookDelivery, key, undefined, { params: { endpoint_id, delivery_id } });
const deliveries = async (key: string, endpoint_id: string) =>
	(await world.call(ListWebhookDeliveries, key, {}, { params: { endpoint_id } })).data.items;

/** The one delivery of an endpoint, once it has this status and this many attempts. */
const delivered = (key: string, id: string, wanted: string, attempts: number) =>
	until(`a delivery that is ${wanted}`, async () => {
		const [one] = await deliveries(key, id);
		return one?.status === wanted && one.attempts.length >= attempts ? one : null;
	});

it("202: a delivery that was made is made again, under the id of its event, in upper case too", async () => {
	const { receiver, key, id } = await opened();
	const { data } = await world.call(TestWebhookEndpoint, key, undefined, { params: { endpoint_id: id } });
	const first = await delivered(key, id, "delivered", 1);
	const answer = await resend(key, id.toUpperCase(), first.delivery_id.toUpperCase());
	expect([answer.status, answer.data]).toEqual([202, { event_id: data.event_id }]);
	const second = await delivered(key, id, "delivered", 2);
	expect(second.delivery_id).toBe(first.delivery_id);
	expect(receiver.arrived.map(({ headers }) => headers["webhook-id"])).toEqual([data.event_id, data.event_id]);
	expect(new Set(receiver.arrived.map(({ body }) => body)).size).toBe(1);
});

it("202: one that failed is tried at once, instead of at its next time", async () => {
	const { receiver, key, id } = await opened(status(500));
	await world.call(TestWebhookEndpoint, key, undefined, { params: { endpoint_id: id } });
	const { delivery_id } = await delivered(key, id, "pending", 1);
	receiver.answer = status(204);
	expect((await resend(key, id, delivery_id)).status).toBe(202);
	await delivered(key, id, "delivered", 2);
});

it("404 not_found: a delivery of another endpoint, be it the partner's own; an endpoint that was deleted", async () => {
	const [mine, theirs] = [await opened(), await opened()];
	const another = await world.call(CreateWebhookEndpoint, mine.key, { url: mine.receiver.url });
	const [own, foreign] = [await deliveredTo(world.db, mine.id), await deliveredTo(world.db, theirs.id)];
	const answers = [
		[await resend(mine.key, another.data.endpoint_id, own), "There is no delivery with this id."],
		[await resend(mine.key, mine.id, foreign), "There is no delivery with this id."],
		[await resend(mine.key, mine.id, neverIssued()), "There is no delivery with this id."],
		[await resend(mine.key, theirs.id, foreign), "There is no webhook endpoint with this id."],
		[await resend(mine.key, neverIssued(), foreign), "There is no webhook endpoint with this id."],
	] as const;
	for (const [answer, message] of answers)
		expect([answer.verdict, answer.error.message]).toEqual(["404 not_found", message]);
	await world.call(DeleteWebhookEndpoint, mine.key, undefined, { params: { endpoint_id: mine.id } });
	expect((await resend(mine.key, mine.id, own)).verdict).toBe("404 not_found");
	expect([mine, theirs].flatMap(({ receiver }) => receiver.arrived)).toEqual([]);
});

it("400 invalid_input: an inactive endpoint, and an event that is no longer kept; what is no id", async () => {
	const { receiver, key, id } = await opened();
	const delivery = await deliveredTo(world.db, id);
	const params = { endpoint_id: id };
	await world.call(ChangeWebhookEndpoint, key, { status: "inactive" }, { params });
	const inactive = await resend(key, id, delivery);
	expect([inactive.verdict, inactive.error.message]).toEqual([
		"400 invalid_input",
		'The endpoint is inactive: nothing is sent to it. Set its status to "active" first.',
	]);
	await world.call(ChangeWebhookEndpoint, key, { status: "active" }, { params });
	await world.db.query(
		`update event set pruned_at = now(), body = '{"pruned":true,"data":{"shipment":{"shipment_id":null}}}'
		  where seq = (select seq from webhook_delivery where delivery_id = $1)`,
		[delivery],
	);
	const pruned = await resend(key, id, delivery);
	expect([pruned.verdict, pruned.error.message]).toEqual([
		"400 invalid_input",
		"The event of this delivery is no longer kept.",
	]);
	const wrong = { params: { endpoint_id: id, delivery_id: "first" } };
	expect((await world.send(ResendWebhookDelivery, key, undefined, wrong)).verdict).toBe("400 invalid_input");
	expect(receiver.arrived).toEqual([]);
});

it("403 forbidden: a key without the scope of webhooks", async () => {
	const { id } = await opened();
	const { token } = await world.key({ scopes: ["atp.reserve"] });
	expect((await resend(token, id, neverIssued())).verdict).toBe("403 forbidden");
});
