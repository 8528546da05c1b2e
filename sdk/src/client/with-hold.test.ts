import { describe, expect, it } from "vitest";
import { createFakeHoldfast, type FakeHoldfast, type WorldOptions } from "../testing/index.ts";
import { ChargeUnknown, type HoldfastError, OutcomeUnknown } from "./errors.ts";
import { Holdfast } from "./holdfast.ts";
import type { WholeHold } from "./whole-hold.ts";

const CART = { externalRef: "cart-1", items: [{ sku: "A", qty: 2 }] };
const CUSTOMER = {
	name: "Ada Example",
	shipTo: { line1: "1 Main Street", city: "Portland", state: "OR", postalCode: "97201", country: "US" },
};
const place = async (hold: WholeHold) => hold.place({ customer: CUSTOMER });

const shopOf = (world: WorldOptions = {}): FakeHoldfast =>
	createFakeHoldfast({ world: { stock: { A: 10 }, key: { requestsPerMinute: null }, ...world } });

/** A separate process: it shares no memory with any other. Its waits move the clock on. */
function processOf(fake: FakeHoldfast, through: (send: typeof fetch) => typeof fetch = (send) => send): Holdfast {
	const clock = { now: () => fake.clock.now(), sleep: (ms: number) => fake.clock.advance(ms) };
	return new Holdfast({ baseUrl: "https://api.holdfast.test", token: fake.token, fetch: through(fake.fetch), clock });
}

const statusOf = async (fake: FakeHoldfast): Promise<string> =>
	(await processOf(fake).holds.find({ externalRef: CART.externalRef })).status;
const ordersOf = async (fake: FakeHoldfast) => Array.fromAsync(processOf(fake).orders.list());
const failureOf = async (promise: Promise<unknown>): Promise<HoldfastError> =>
	promise.then(
		() => expect.unreachable("It was expected to fail."),
		(error: unknown) => error as HoldfastError,
	);
const notCalled = async (): Promise<never> => expect.unreachable("The callback was called.");

describe("A sale", () => {
	it("gives the callback a whole hold, and resolves to the order that it placed", async () => {
		const fake = shopOf();
		const order = await processOf(fake).withHold(CART, async (hold) => {
			expect(hold).toMatchObject({ externalRef: "cart-1", replayed: false, impaired: false, warnings: [] });
			expect(await processOf(fake).holds.get(hold.token)).toMatchObject({ status: "active", impaired: false });
			return hold.place({ customer: CUSTOMER, externalOrderId: "shop-1" });
		});
		expect(order).toMatchObject({ ref: "cart-1", externalOrderId: "shop-1", status: "placed" });
		expect(await ordersOf(fake)).toHaveLength(1);
	});

	it("made again gives the same order without a call, also after it was cancelled", async () => {
		const fake = shopOf();
		const { orderId } = await processOf(fake).withHold(CART, place);
		expect(await processOf(fake).withHold(CART, notCalled)).toMatchObject({ orderId, status: "placed" });
		await processOf(fake).orders.cancel(orderId);
		expect(await processOf(fake).withHold(CART, notCalled)).toMatchObject({ orderId, status: "cancelled" });
		expect(await ordersOf(fake)).toHaveLength(1);
	});

	it("may place its order under another key, and is found all the same", async () => {
		const fake = shopOf();
		const order = await processOf(fake).withHold(CART, async (hold) =>
			hold.place({ customer: CUSTOMER }, { idempotencyKey: "order-1" }),
		);
		expect(order.ref).toBe("order-1");
		expect(await processOf(fake).withHold(CART, notCalled)).toMatchObject({ orderId: order.orderId });
	});

	it("that consumes resolves to what was consumed; made again, to the same", async () => {
		const fake = shopOf();
		const consumed = await processOf(fake).withHold(CART, async (hold) => hold.consume());
		expect(consumed).toEqual({ consumedUnits: 2, externalRef: "cart-1", idempotent: false });
		expect(await processOf(fake).withHold(CART, notCalled)).toEqual({ ...consumed, idempotent: true });
	});

	it("that was consumed and reversed cannot be made again", async () => {
		const fake = shopOf();
		await processOf(fake).withHold(CART, async (hold) => hold.consume({ externalRef: "sale-1" }));
		await processOf(fake).reverse({ externalRef: "sale-1" });
		expect(await failureOf(processOf(fake).withHold(CART, notCalled))).toMatchObject({ code: "reference_used" });
	});

	it("whose customer does not pay resolves to null and holds nothing; made again, it holds anew", async () => {
		const fake = shopOf();
		expect(await processOf(fake).withHold(CART, async (hold) => hold.release())).toBeNull();
		expect(await statusOf(fake)).toBe("released");
		expect(await processOf(fake).withHold(CART, place)).toMatchObject({ ref: "cart-1" });
	});

	it("of more than there is calls nobody and holds nothing", async () => {
		const fake = shopOf({ stock: { A: 1 } });
		expect(await failureOf(processOf(fake).withHold(CART, notCalled))).toMatchObject({ code: "no_inventory" });
		expect(await failureOf(processOf(fake).holds.find({ externalRef: CART.externalRef }))).toMatchObject({
			code: "not_found",
		});
	});

	it("made twice at once in a process is made once", async () => {
		const fake = shopOf();
		const process = processOf(fake);
		let calls = 0;
		const sale = async (): Promise<string> => {
			const order = await process.withHold(CART, async (hold) => {
				calls++;
				return hold.place({ customer: CUSTOMER });
			});
			return order.orderId;
		};
		const [first, second] = await Promise.all([sale(), sale()]);
		expect([second, calls]).toEqual([first, 1]);
		expect(await processOf(fake).withHold(CART, notCalled)).toMatchObject({ orderId: first });
	});

	it.for(["", "cart 1", "cärt", ".", "..", "x".repeat(201)])(
		"under the reference %j is refused before any request",
		async (externalRef) => {
			const none: typeof fetch = () => expect.unreachable("A request was sent.");
			const process = processOf(shopOf(), () => none);
			await expect(process.withHold({ ...CART, externalRef }, notCalled)).rejects.toThrow(TypeError);
		},
	);
});

describe("A callback that fails", () => {
	it("frees the units, and its error is thrown on", async () => {
		const fake = shopOf();
		const declined = new Error("card declined");
		const sale = processOf(fake).withHold(CART, async () => {
			throw declined;
		});
		expect(await failureOf(sale)).toBe(declined);
		expect(await statusOf(fake)).toBe("released");
	});

	it("with ChargeUnknown keeps the hold, and the same sale goes on with it", async () => {
		const fake = shopOf();
		let first = "";
		const sale = processOf(fake).withHold(CART, async ({ token }) => {
			first = token;
			throw new ChargeUnknown();
		});
		expect(await failureOf(sale)).toBeInstanceOf(ChargeUnknown);
		expect(await statusOf(fake)).toBe("active");
		await processOf(fake).withHold(CART, async (hold) => {
			expect(hold).toMatchObject({ token: first, replayed: true });
			return hold.place({ customer: CUSTOMER });
		});
	});

	it("after the order was placed leaves the order, which the same sale gives", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			await hold.place({ customer: CUSTOMER });
			throw new Error("no e-mail");
		});
		expect((await failureOf(sale)).message).toBe("no e-mail");
		expect(await processOf(fake).withHold(CART, notCalled)).toMatchObject({ status: "placed" });
	});

	it("while an end is under way waits for that end", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			void hold.place({ customer: CUSTOMER });
			throw new Error("too hasty");
		});
		expect((await failureOf(sale)).message).toBe("too hasty");
		expect(await statusOf(fake)).toBe("placed");
	});

	it.for([
		["nothing", async () => undefined],
		["something like an end", async () => ({ value: 1 })],
		[
			"the end of another sale",
			async (_hold: WholeHold, fake: FakeHoldfast) => {
				let other: unknown;
				await processOf(fake).withHold(
					{ ...CART, externalRef: "cart-2" },
					async (hold) => (other = await hold.release()) as never,
				);
				return other;
			},
		],
	] as const)("to return an end, and returns %s, is a TypeError, and frees the units", async ([, callback]) => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, (async (hold: WholeHold) => callback(hold, fake)) as never);
		expect(await failureOf(sale)).toBeInstanceOf(TypeError);
		expect(await statusOf(fake)).toBe("released");
	});

	it("and cannot even free the units, still throws its own error", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async () => {
			fake.world.revoke();
			throw new Error("card declined");
		});
		expect((await failureOf(sale)).message).toBe("card declined");
	});
});

describe("The end of a hold", () => {
	it("comes once", async () => {
		const fake = shopOf();
		await processOf(fake).withHold(CART, async (hold) => {
			const released = await hold.release();
			await expect(hold.place({ customer: CUSTOMER })).rejects.toThrow(TypeError);
			return released;
		});
		expect(await ordersOf(fake)).toEqual([]);
	});

	it("that was refused may be tried again in the same call", async () => {
		const fake = shopOf();
		const order = await processOf(fake).withHold(CART, async (hold) => {
			const nowhere = { ...CUSTOMER, shipTo: { ...CUSTOMER.shipTo, country: "XX" } };
			expect(await failureOf(hold.place({ customer: nowhere }))).toMatchObject({ code: "invalid_customer" });
			return hold.place({ customer: CUSTOMER });
		});
		expect(order.status).toBe("placed");
	});

	it("whose answer is lost keeps the hold, and the same sale gives the order", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			fake.world.failNext("connection_lost", 3);
			return hold.place({ customer: CUSTOMER });
		});
		expect(await failureOf(sale)).toMatchObject({
			name: "OutcomeUnknown",
			operation: "orders.place",
			reference: "cart-1",
		});
		expect(await processOf(fake).withHold(CART, notCalled)).toMatchObject({ status: "placed" });
	});

	it("that the service fails to make, three times, keeps the hold, and the same sale goes on with it", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			fake.world.failNext("internal_error", 3);
			return hold.place({ customer: CUSTOMER });
		});
		expect(await failureOf(sale)).toBeInstanceOf(OutcomeUnknown);
		expect(await statusOf(fake)).toBe("active");
		expect(await processOf(fake).withHold(CART, place)).toMatchObject({ status: "placed" });
	});

	it.for([
		["place", async (hold: WholeHold) => hold.place({ customer: CUSTOMER })],
		["consume", async (hold: WholeHold) => hold.consume()],
	] as const)("after the hold's own end (%s) holds the same items anew", async ([, end]) => {
		const fake = shopOf();
		await processOf(fake).withHold(CART, async (hold) => {
			await fake.clock.set(hold.expiresAt);
			return end(hold);
		});
		expect(["placed", "consumed"]).toContain(await statusOf(fake));
	});

	it("after the hold's own end, when the units are gone, is no_inventory", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			await fake.clock.set(hold.expiresAt);
			fake.world.setStock("A", 1);
			return hold.place({ customer: CUSTOMER });
		});
		expect(await failureOf(sale)).toMatchObject({ code: "no_inventory" });
		expect(await ordersOf(fake)).toEqual([]);
	});

	it("by a release after the hold's own end is a release", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			await fake.clock.set(hold.expiresAt);
			return hold.release();
		});
		expect(await sale).toBeNull();
	});
});

describe("A sale that goes on", () => {
	it.for([
		[[{ sku: "A", qty: 3 }]],
		[[{ sku: "B", qty: 2 }]],
		[
			[
				{ sku: "A", qty: 1 },
				{ sku: "A", qty: 1 },
			],
		],
		[[{ sku: "A", qty: 2, brandCode: "OTHER" }]],
	] as const)(
		"refuses a cart with the items %j, which are not those of its hold, and leaves the hold alone",
		async ([items]) => {
			const fake = shopOf({ stock: { A: 10, B: 10 } });
			await processOf(fake).reserve(CART);
			const sale = processOf(fake).withHold({ ...CART, items }, notCalled);
			expect(await failureOf(sale)).toMatchObject({ code: "reference_used" });
			expect(await statusOf(fake)).toBe("active");
		},
	);

	it("replaces a hold that lost units before anybody is charged", async () => {
		const fake = createFakeHoldfast({
			world: {
				key: { requestsPerMinute: null },
				formulas: [{ code: "A" }],
				skus: [{ sku: "A", components: [{ formula: "A", perKit: 1 }] }],
				lots: [{ formula: "A", units: 2, batchNumber: "OLD", expiresOn: new Date().toISOString().slice(0, 10) }],
			},
		});
		const midnight = new Date(fake.clock.now()).setUTCHours(24, 0, 0, 0);
		await fake.clock.set(midnight - 60_000);
		const { token } = await processOf(fake).reserve(CART);
		await fake.clock.set(midnight + 60_000);
		expect(await failureOf(processOf(fake).withHold(CART, notCalled))).toMatchObject({ code: "no_inventory" });
		expect((await processOf(fake).holds.get(token)).status).toBe("released");
		fake.world.setStock("A", 5);
		const order = await processOf(fake).withHold(CART, async (hold) => {
			expect(hold).toMatchObject({ replayed: false, impaired: false });
			return hold.place({ customer: CUSTOMER });
		});
		expect(order.items).toMatchObject([{ sku: "A", qty: 2 }]);
	});

	/** Lets something happen before the first reserve of a process. */
	const beforeReserve =
		(happen: () => Promise<unknown>) =>
		(send: typeof fetch): typeof fetch => {
			let isFirst = true;
			return async (input, init) => {
				const isNow = isFirst && new Request(input).url.endsWith("/reserve");
				if (isNow) isFirst = false;
				if (isNow) await happen();
				return send(input, init);
			};
		};
	const soldBetween = (fake: FakeHoldfast) => beforeReserve(() => processOf(fake).withHold(CART, place));

	it("uses the very hold that it finds", async () => {
		const fake = shopOf({
			formulas: [{ code: "F" }],
			skus: [{ sku: "KIT", components: [{ formula: "F", perKit: 3 }] }],
			lots: [{ formula: "F", units: 9 }],
		});
		const items = [
			{ sku: "KIT", qty: 2 },
			{ sku: "A", qty: 1 },
		];
		const { token } = await processOf(fake).reserve({ ...CART, items });
		const order = await processOf(fake).withHold({ ...CART, items }, async (hold) => {
			expect(hold).toMatchObject({ token, replayed: true, impaired: false, warnings: [], externalRef: "cart-1" });
			return hold.place({ customer: CUSTOMER });
		});
		expect(order.items).toMatchObject(items);
	});

	it.for([
		[
			"sold by a late request of a dead process",
			"consumed",
			(process: Holdfast, token: string) => process.consume({ token, externalRef: "cart-1" }),
		],
		["over", "placed", (process: Holdfast, token: string) => process.sandbox.advance({ token, to: "expired" })],
	] as const)("never makes a second hold while it looks at one that is meanwhile %s", async ([, status, happen]) => {
		const fake = createFakeHoldfast({ world: { key: { requestsPerMinute: null } } });
		const cart = { ...CART, items: [{ sku: "SBX-LOW", qty: 2 }] };
		const { token } = await processOf(fake).reserve(cart);
		const process = processOf(
			fake,
			beforeReserve(() => happen(processOf(fake), token)),
		);
		await process.withHold(cart, async (hold) => {
			expect(hold.token).not.toBe(token);
			return hold.place({ customer: CUSTOMER });
		});
		const last = await processOf(fake).holds.find({ externalRef: "cart-1" });
		expect([last.status, last.token === token]).toEqual([status, status === "consumed"]);
	});

	it("whose order hides behind a later hold of the same reference, which has ended, is not sold out", async () => {
		const fake = shopOf({ stock: { A: 2 } });
		const order = await processOf(fake).withHold(CART, place);
		fake.world.setStock("A", 2);
		await processOf(fake).release((await processOf(fake).reserve(CART)).token);
		fake.world.setStock("A", 0);
		expect([await processOf(fake).withHold(CART, notCalled)]).toMatchObject([{ orderId: order.orderId }]);
	});

	it("finds the order that another process placed meanwhile, and frees what it held itself", async () => {
		const fake = shopOf();
		const order = await processOf(fake, soldBetween(fake)).withHold(CART, place);
		expect(await ordersOf(fake)).toMatchObject([{ orderId: order.orderId }]);
		expect(await statusOf(fake)).toBe("released");
	});

	it("finds the order that another process placed meanwhile from the last units", async () => {
		const fake = shopOf({ stock: { A: 2 } });
		const sale = await processOf(fake, soldBetween(fake)).withHold(CART, notCalled);
		expect([sale]).toEqual(await ordersOf(fake));
	});
});
