import { describe, expect, it } from "vitest";
import { newWebhookSecret } from "../../../service/src/partners/webhooks/secret.ts";
import { ask, available, CUSTOMER, order, reserve } from "./ask-for-tests.ts";
import { createFakeHoldfast } from "./index.ts";

const KIT = {
	stock: { "SERUM-30": 12 },
	formulas: [{ code: "BALM" }],
	skus: [
		{
			sku: "SET",
			components: [
				{ formula: "SERUM-30", perKit: 1 },
				{ formula: "BALM", perKit: 2 },
			],
		},
		{ sku: "GIFT-WRAP", components: [] },
	],
	lots: [{ formula: "BALM", units: 5, expiresOn: "2099-12-31" }],
};

describe("setStock", () => {
	it("sets what the key could reserve, upwards and downwards, and leaves what is held", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		await reserve(fake, "SERUM-30", 2);
		expect(await available(fake, "SERUM-30")).toBe(10);
		for (const qty of [3, 0, 50]) {
			fake.world.setStock("SERUM-30", qty);
			expect(await available(fake, "SERUM-30")).toBe(qty);
		}
		const { json } = await ask(fake, "/api/v1/inventory?sku=SERUM-30");
		expect(json.data.totals).toEqual({ on_hand: 52, reserved: 2, atp: 50 });
	});

	it("sets every formula of a kit", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		expect(await available(fake, "SET")).toBe(2);
		fake.world.setStock("SET", 7);
		expect(await available(fake, "SET")).toBe(7);
		expect(await available(fake, "SERUM-30")).toBe(7);
	});

	it("counts the shared stock of a key that draws on it, and no lot that is out of date", async () => {
		const world = {
			...KIT,
			key: { sharedPool: true },
			lots: [
				{ formula: "SERUM-30", units: 4, brandCode: null },
				{ formula: "SERUM-30", units: 9, batchNumber: "OLD", expiresOn: "2020-01-01" },
			],
		};
		const fake = createFakeHoldfast({ world });
		expect(await available(fake, "SERUM-30")).toBe(16);
		for (const qty of [3, 20]) {
			fake.world.setStock("SERUM-30", qty);
			expect(await available(fake, "SERUM-30")).toBe(qty);
		}
	});

	it("counts nothing that is promised elsewhere", async () => {
		const fake = createFakeHoldfast({ world: { ...KIT, promised: [{ formula: "SERUM-30", units: 3 }] } });
		for (const qty of [5, 0, 20]) {
			fake.world.setStock("SERUM-30", qty);
			expect(await available(fake, "SERUM-30")).toBe(qty);
		}
	});

	it("throws for a SKU that does not exist, and for one that is not physical", () => {
		const { world } = createFakeHoldfast({ world: KIT });
		expect(() => world.setStock("SERUM-3O", 1)).toThrow("SERUM-30");
		expect(() => world.setStock("GIFT-WRAP", 1)).toThrow("not physical");
	});
});

describe("revoke, suspend and resume", () => {
	it("answer every request 401, without a word of the key's budget", async () => {
		const fake = createFakeHoldfast();
		fake.world.suspend();
		const refused = await ask(fake, "/api/v1/products");
		expect([refused.status, refused.json.error.code]).toEqual([401, "unauthorized"]);
		expect(refused.headers.has("ratelimit")).toBe(false);
		fake.world.resume();
		expect((await ask(fake, "/api/v1/products")).status).toBe(200);
		fake.world.revoke();
		fake.world.resume();
		expect((await ask(fake, "/api/v1/products")).status).toBe(401);
	});
});

describe("failNext", () => {
	it("refuses the next requests with the code's status and headers, and does nothing for them", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		fake.world.failNext("retry", 2);
		for (let at = 0; at < 2; at++) {
			const refused = await ask(fake, "/api/v1/reserve", { items: [{ sku: "SERUM-30", qty: 1 }] });
			expect([refused.status, refused.json.error.code, refused.headers.get("retry-after")]).toEqual([
				409,
				"retry",
				"1",
			]);
		}
		expect(await available(fake, "SERUM-30")).toBe(12);
	});

	it("waits for a request that passes the key's checks", async () => {
		const fake = createFakeHoldfast();
		fake.world.failNext("internal_error");
		expect((await ask(fake, "/api/v1/reserve", {})).status).toBe(400);
		expect((await ask(fake, "/api/v1/products")).status).toBe(500);
		expect((await ask(fake, "/api/v1/products")).status).toBe(200);
	});

	it("loses the answer of a request that is carried out", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		fake.world.failNext("connection_lost");
		await expect(ask(fake, "/api/v1/reserve", { items: [{ sku: "SERUM-30", qty: 2 }] })).rejects.toThrow(
			"fetch failed",
		);
		expect(await available(fake, "SERUM-30")).toBe(10);
	});

	it("throws for a code that does not exist", () => {
		// @ts-expect-error: it does not compile either
		expect(() => createFakeHoldfast().world.failNext("no_stock")).toThrow("no_inventory");
	});
});

describe("ship", () => {
	it("ships an order by id or Idempotency-Key, with a label, and records the event", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		const { json } = await order(fake, "SERUM-30", "cart-1");
		await order(fake, "SERUM-30", "cart-2");
		fake.world.ship("cart-1");
		fake.world.ship((await ask(fake, "/api/v1/orders/cart-2")).json.data.order_id, { trackingNumber: "1Z2" });
		const { data } = (await ask(fake, "/api/v1/orders/cart-1")).json;
		expect([data.status, data.shipments[0].carrier_code]).toEqual(["shipped", "ups"]);
		expect(fake.world.events.map(({ type }) => type)).toEqual(["order.shipped", "order.shipped"]);
		const [first, second] = fake.world.events.map(({ body }) => JSON.parse(body));
		expect(first.data.order_id).toBe(json.data.order_id);
		expect(second.data.shipment.tracking_number).toBe("1Z2");
	});

	it("throws for an order that cannot ship, and for one that does not exist", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		await order(fake, "SERUM-30", "cart-1");
		await ask(fake, "/api/v1/orders/cart-1/cancel", {});
		expect(() => fake.world.ship("cart-1")).toThrow("wrong_state");
		expect(() => fake.world.ship("cart-2")).toThrow("cart-2");
	});
});

describe("events", () => {
	it("are signed as the service signs them, at the clock's time", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		await order(fake, "SERUM-30", "cart-1");
		fake.world.ship("cart-1");
		const { Webhook } = await import("standardwebhooks");
		const secret = newWebhookSecret();
		const [event] = fake.world.events;
		const { headers, body } = event?.signed(secret) ?? { headers: {}, body: "" };
		expect(headers).toMatchObject({ "webhook-id": event?.id });
		expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "order.shipped" });
	});
});

describe("setCertificate", () => {
	const feed = async (fake: ReturnType<typeof createFakeHoldfast>) =>
		(await ask(fake, "/api/partner/v1/coa?status=all")).json.data.items as Record<string, string>[];

	it("creates a certificate with a PDF, and withdraws it as a tombstone", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		fake.world.setCertificate({ slug: "serum", batchNumber: "B1", purityPct: 99.1 });
		const [current] = await feed(fake);
		expect(current).toMatchObject({ batch_number: "B1", purity_pct: 99.1, status: "current" });
		const pdf = await fake.fetch(current?.certificate_url ?? "");
		expect(Buffer.from(await pdf.arrayBuffer()).toString("latin1", 0, 5)).toBe("%PDF-");
		fake.world.setCertificate({ slug: "serum", batchNumber: "B1", status: "retired" });
		expect((await feed(fake))[0]).toMatchObject({ status: "retired", certificate_url: "" });
		expect((await fake.fetch(current?.certificate_url ?? "")).status).toBe(410);
	});

	it("throws for a change that the service does not allow", () => {
		const certificate = { slug: "serum", batchNumber: "B1" };
		const { world } = createFakeHoldfast({ world: { ...KIT, certificates: [{ ...certificate, status: "retired" }] } });
		expect(() => world.setCertificate({ ...certificate, status: "current" })).toThrow("retired for good");
	});
});

describe("the clock", () => {
	it("ends holds", async () => {
		const fake = createFakeHoldfast({ world: KIT });
		const token = await reserve(fake, "SERUM-30", 12);
		await fake.clock.advance(30 * 60_000 - 1);
		expect(await available(fake, "SERUM-30")).toBe(0);
		await fake.clock.advance(1);
		expect(await available(fake, "SERUM-30")).toBe(12);
		const body = { reservation_token: token, customer: CUSTOMER };
		const late = await ask(fake, "/api/v1/orders", body, { "idempotency-key": "cart-1" });
		expect([late.status, late.json.error.code]).toEqual([410, "reservation_expired"]);
	});

	it("lets a minute have as many requests as the key may make", async () => {
		const fake = createFakeHoldfast({ world: { key: { requestsPerMinute: 3 } } });
		const statuses: number[] = [];
		for (let at = 0; at < 4; at++) {
			statuses.push((await ask(fake, "/api/v1/products")).status);
			await fake.clock.advance(10_000);
		}
		expect(statuses).toEqual([200, 200, 200, 429]);
		const refused = await ask(fake, "/api/v1/products");
		expect(refused.headers.get("retry-after")).toBe("20");
		await fake.clock.advance(20_000);
		expect((await ask(fake, "/api/v1/products")).status).toBe(200);
	});

	it("picks and ships an order of the sandbox, and puts one on hold, each at its own instant", async () => {
		const fake = createFakeHoldfast();
		const placed = Date.parse((await order(fake, "SBX-PLENTY", "cart-1")).json.data.placed_at);
		await order(fake, "SBX-HELD", "cart-2");
		await fake.clock.advance(3_600_000);
		const { data } = (await ask(fake, "/api/v1/orders/cart-1")).json;
		expect(data.status).toBe("shipped");
		expect([data.picked_at, data.shipped_at].map((time) => Date.parse(time) - placed)).toEqual([30_000, 60_000]);
		expect((await ask(fake, "/api/v1/orders/cart-2")).json.data.status).toBe("held");
		expect(fake.world.events.map(({ type }) => type)).toEqual(["order.held", "order.shipped"]);
	});

	it("may be another one", async () => {
		let now = Date.UTC(2030, 0, 1);
		const clock = { now: () => now, sleep: async () => undefined };
		const fake = createFakeHoldfast({ clock });
		expect(fake.clock).toBe(clock);
		now += 1_000;
		const { headers } = await fake.fetch("https://holdfast.test/api/versions");
		expect(headers.get("date")).toBe("Tue, 01 Jan 2030 00:00:01 GMT");
	});
});

describe("the log of requests", () => {
	it("lists the key's own, the newest first, with bodies and explanations", async () => {
		const fake = createFakeHoldfast();
		const refused = await ask(fake, "/api/v1/reserve", { items: [{ sku: "SBX-OUT", qty: 1 }] });
		await fake.clock.advance(1_000);
		const token = await reserve(fake, "SBX-PLENTY", 1);
		await fake.clock.advance(1_000);
		await ask(fake, "/api/v1/release", { reservation_token: token });
		await ask(fake, "/api/v1/consume", { reservation_token: token, external_ref: "sale-1" });
		const { items } = (await ask(fake, "/api/v1/sandbox/requests?limit=2")).json.data;
		expect(items.map(({ operation }: { operation: string }) => operation)).toEqual(["consume", "release"]);
		expect(items[0].explanation).toEqual([items[0].message]);
		const of = (id: string | null) => ask(fake, `/api/v1/sandbox/requests?request_id=${id}`);
		const [consumed] = (await of(items[0].request_id)).json.data.items;
		expect(consumed.explanation.join(" ")).toContain(`The hold ${token} of this key was released since`);
		const [reserved] = (await of(refused.headers.get("x-request-id"))).json.data.items;
		expect(reserved).toMatchObject({ code: "no_inventory", body: '{"items":[{"sku":"SBX-OUT","qty":1}]}' });
	});

	it("goes on from its cursor", async () => {
		const fake = createFakeHoldfast();
		for (let at = 0; at < 3; at++) {
			await ask(fake, "/api/versions", undefined, {});
			await ask(fake, "/api/v1/products?limit=1");
			await fake.clock.advance(10);
		}
		const list = "/api/v1/sandbox/requests?operation=products&limit=2";
		const first = (await ask(fake, list)).json.data;
		const rest = (await ask(fake, `${list}&cursor=${first.next_cursor}`)).json.data;
		expect([first.items.length, rest.items.length, rest.next_cursor]).toEqual([2, 1, null]);
		const other = await ask(fake, `/api/v1/sandbox/requests?cursor=${first.next_cursor}`);
		expect([other.status, other.json.error.code]).toEqual([400, "invalid_input"]);
	});
});

describe("the world at the beginning", () => {
	it("has the test SKUs alone for a sandbox key", async () => {
		const fake = createFakeHoldfast();
		expect(fake.token).toMatch(/^pk_hf_sandbox_\w+:sk_hf_sandbox_\w+$/);
		expect(await available(fake, "SBX-LOW")).toBe(3);
		const { json } = await ask(fake, "/api/v1/sandbox/restock", {});
		expect(json.data).toEqual({ ok: true, received_units: 0, removed_units: 0 });
	});

	it("gives a key the scopes that it asks for", async () => {
		const fake = createFakeHoldfast({ world: { ...KIT, key: { scopes: "read_only" } } });
		expect(fake.token).toMatch(/^pk_hf_live_/);
		expect((await ask(fake, "/api/v1/reserve", { items: [] })).json.error.code).toBe("forbidden");
		// @ts-expect-error: it does not compile either
		expect(() => createFakeHoldfast({ world: { key: { scopes: ["atp.everything"] } } })).toThrow("atp.reserve");
	});

	it("refuses what contradicts itself", () => {
		const worlds = [
			[{ stock: { "SBX-MINE": 1 } }, "SBX-"],
			[{ lots: [{ formula: "NOPE", units: 1 }] }, "NOPE"],
			[{ formulas: [{ code: "A" }, { code: "A" }] }, "two formulas"],
			[{ stock: { A: 1 }, skus: [{ sku: "A", components: [] }] }, "two SKUs"],
		] as const;
		for (const [world, message] of worlds) expect(() => createFakeHoldfast({ world })).toThrow(message);
	});
});
