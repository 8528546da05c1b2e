import { expect, it } from "vitest";
import { ask, order } from "./ask-for-tests.ts";
import { createFakeHoldfast } from "./index.ts";
import type { FakeHoldfast, KeyOptions } from "./types.ts";

const START = Date.UTC(2030, 0, 1);
const WORLD = {
	stock: { "SERUM-30": 12 },
	certificates: [{ slug: "serum", batchNumber: "B1" }],
};

/** A fake with an endpoint for each list of types. */
async function fakeWith(chosen: readonly (readonly string[])[], key: KeyOptions = {}) {
	const fake = createFakeHoldfast({ world: { ...WORLD, key } });
	await fake.clock.set(START);
	const ids: string[] = [];
	for (const event_types of chosen) {
		const body = { url: "https://example.com/hooks", event_types };
		const { status, json } = await ask(fake, "/api/v1/webhook-endpoints", body);
		expect(status).toBe(201);
		ids.push(json.data.endpoint_id);
	}
	return { fake, ids };
}

const typesOf = (fake: FakeHoldfast): string[] => fake.world.events.map(({ type }) => type);

async function sentTo(fake: FakeHoldfast, id: string | undefined): Promise<string[]> {
	const { json } = await ask(fake, `/api/v1/webhook-endpoints/${id}/deliveries`);
	return json.data.items.map(({ type }: { type: string }) => type);
}

/** Cancels one order, ships another, and withdraws a certificate. */
async function happen(fake: FakeHoldfast): Promise<void> {
	await order(fake, "SERUM-30", "cart-1");
	await order(fake, "SERUM-30", "cart-2");
	await ask(fake, "/api/v1/orders/cart-1/cancel", { reason: "changed their mind" });
	fake.world.ship("cart-2");
	fake.world.setCertificate({ slug: "serum", batchNumber: "B1", status: "retired" });
	fake.world.setCertificate({ slug: "serum", batchNumber: "B1", status: "retired" }); // once is enough
}

it("of a further type is recorded, and sent, only for endpoints that chose it", async () => {
	const { fake, ids } = await fakeWith([
		["order.shipped", "order.held"],
		["order.cancelled", "certificate.retired"],
	]);
	await happen(fake);
	expect(typesOf(fake)).toEqual(["order.cancelled", "order.shipped", "certificate.retired"]);
	expect(await sentTo(fake, ids[0])).toEqual(["order.shipped"]);
	expect(await sentTo(fake, ids[1])).toEqual(["order.cancelled", "certificate.retired"]);
	const [cancelled, , retired] = fake.world.events.map(({ body }) => JSON.parse(body));
	expect(cancelled.data).toMatchObject({ ref: "cart-1", by: "partner", detail: "changed their mind" });
	expect(retired).toEqual({
		type: "certificate.retired",
		timestamp: "2030-01-01T00:00:00.000Z",
		version: "2026-09-06",
		environment: "live",
		data: {
			product: { slug: "serum", name: "serum" },
			batch_number: "B1",
			verify_url: "https://coa.holdfast.test/coa/lookup?lot=B1",
		},
	});
	expect(fake.world.events[2]?.id).toMatch(/^evt_[0-9a-f]{32}$/);
});

it("that nobody chose leaves no trace, and is not found when it is chosen later", async () => {
	const { fake, ids } = await fakeWith([["order.shipped"]]);
	await happen(fake);
	expect(typesOf(fake)).toEqual(["order.shipped"]);
	const body = { url: "https://example.com/hooks", event_types: ["order.cancelled"] };
	const { json } = await ask(fake, "/api/v1/webhook-endpoints", body);
	const recover = (id: string | undefined) =>
		ask(fake, `/api/v1/webhook-endpoints/${id}/recover`, { since: "2020-01-01T00:00:00Z" });
	expect((await recover(json.data.endpoint_id)).json.data).toEqual({ events: 0 });
	expect((await recover(ids[0])).json.data).toEqual({ events: 0 });
});

it("about a certificate goes to partners alone who may read the feed, of their own environment", async () => {
	const types = [["certificate.retired"]];
	for (const key of [{ scopes: ["atp.webhooks"] }, { environment: "sandbox" }] as const) {
		const { fake } = await fakeWith(types, key);
		fake.world.setCertificate({ slug: "serum", batchNumber: "B1", status: "retired" });
		expect(typesOf(fake)).toEqual([]);
	}
	const { fake } = await fakeWith(types);
	fake.world.suspend(); // which passes
	fake.world.setCertificate({ slug: "serum", batchNumber: "B1", status: "retired" });
	expect(typesOf(fake)).toEqual(["certificate.retired"]);
});
