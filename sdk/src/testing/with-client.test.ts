import { describe, expect, it } from "vitest";
import { Holdfast, type HoldfastError } from "../index.ts";
import { CUSTOMER } from "./ask-for-tests.ts";
import { createFakeHoldfast } from "./index.ts";

const baseUrl = "https://holdfast.test";
const { name, ship_to } = CUSTOMER;
const { postal_code: postalCode, ...rest } = ship_to;
const customer = { name, shipTo: { ...rest, postalCode } };

function openShop(stock: Record<string, number> = { "SERUM-30": 12 }) {
	const { fetch, token, clock, world } = createFakeHoldfast({ world: { stock } });
	return { holdfast: new Holdfast({ baseUrl, coaUrl: baseUrl, token, fetch, clock }), clock, world };
}

describe("A client whose fetch is the fake's", () => {
	it("sells", async () => {
		const { holdfast, world } = openShop();
		const order = await holdfast.withHold(
			{ items: [{ sku: "SERUM-30", qty: 2 }], externalRef: "cart-1" },
			async (hold) => hold.place({ customer }),
		);
		expect(await holdfast.check([{ sku: "SERUM-30", qty: 1 }])).toMatchObject([{ atpQty: { kind: "known", qty: 10 } }]);
		world.ship("cart-1");
		expect(order).toMatchObject({ ref: "cart-1", status: "placed" });
		expect(await holdfast.orders.get("cart-1")).toMatchObject({ status: "shipped" });
	});

	it("waits by the fake's clock before it repeats what was refused for a moment", async () => {
		const { holdfast, clock, world } = openShop();
		world.failNext("retry", 2);
		let isHeld = false;
		const reserving = holdfast.reserve({ items: [{ sku: "SERUM-30", qty: 1 }] }).then(() => {
			isHeld = true;
		});
		await clock.advance(100);
		expect(isHeld).toBe(false);
		await clock.advance(60_000);
		await reserving;
	});

	it("finds the hold whose answer was lost", async () => {
		const { holdfast, clock, world } = openShop({ "SERUM-30": 1 });
		world.failNext("connection_lost");
		const reserving = holdfast.reserve({ items: [{ sku: "SERUM-30", qty: 1 }], externalRef: "cart-1" });
		await clock.advance(60_000);
		expect(await reserving).toMatchObject({ replayed: true, externalRef: "cart-1" });
	});

	it("is refused as by the service", async () => {
		const { holdfast, world } = openShop({ "SERUM-30": 0 });
		const items = [{ sku: "SERUM-30", qty: 1 }];
		await expect(holdfast.reserve({ items })).rejects.toMatchObject({
			code: "no_inventory",
		} satisfies Partial<HoldfastError>);
		world.revoke();
		await expect(holdfast.check(items)).rejects.toMatchObject({ name: "Unauthorized" });
	});

	it("reads lists page by page", async () => {
		const { holdfast } = openShop({ A: 1, B: 2, C: 3 });
		const skus: string[] = [];
		for await (const { sku } of holdfast.products.list({ limit: 1 })) skus.push(sku);
		expect(skus).toEqual(["A", "B", "C"]);
	});
});
