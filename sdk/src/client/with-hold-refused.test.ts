import { describe, expect, it } from "vitest";
import { createFakeHoldfast, type FakeHoldfast } from "../testing/index.ts";
import { HoldfastError, OutcomeUnknown } from "./errors.ts";
import { Holdfast } from "./holdfast.ts";
import type { WholeHold } from "./whole-hold.ts";

/** What a refusal after the charge says about the customer's money. */

const CART = { externalRef: "cart-1", items: [{ sku: "A", qty: 2 }] };
const SHIP_TO = { line1: "1 Main Street", city: "Berlin", postalCode: "10115", country: "DE" };
const CUSTOMER = { name: "Ada", shipTo: SHIP_TO };
type Code = Parameters<FakeHoldfast["world"]["failNext"]>[0];
const ENDS = {
	place: async (hold: WholeHold) => hold.place({ customer: CUSTOMER }),
	consume: async (hold: WholeHold) => hold.consume(),
};
const EACH = ["place", "consume"] as const;

const shopOf = (): FakeHoldfast =>
	createFakeHoldfast({ world: { stock: { A: 10, B: 10 }, key: { requestsPerMinute: null } } });

/** A separate process. */
function processOf(fake: FakeHoldfast): Holdfast {
	const clock = { now: () => fake.clock.now(), sleep: (ms: number) => fake.clock.advance(ms) };
	return new Holdfast({ baseUrl: "https://api.holdfast.test", token: fake.token, fetch: fake.fetch, clock });
}

const statusOf = async (fake: FakeHoldfast): Promise<string> =>
	(await processOf(fake).holds.find({ externalRef: CART.externalRef })).status;
const failureOf = async (promise: Promise<unknown>): Promise<HoldfastError> => {
	const error: unknown = await promise.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	expect(error).toBeInstanceOf(HoldfastError);
	return error as HoldfastError;
};
const notCalled = async (): Promise<never> => expect.unreachable("The callback was called.");
/** A sale whose end is refused with this code, this many times. */
const refusedSale = (fake: FakeHoldfast, end: keyof typeof ENDS, code: Code, times: number): Promise<unknown> =>
	processOf(fake).withHold<never>(CART, (async (hold: WholeHold) => {
		fake.world.failNext(code, times);
		return ENDS[end](hold);
	}) as never);

const FINAL: readonly Code[] = [
	"kit_incomplete",
	"reservation_empty",
	"unresolved_stack",
	"invalid_customer",
	"forbidden",
	"unauthorized",
];
const PASSING: readonly Code[] = ["retry", "hold_race", "rate_limited", "internal_error"];

describe("A refusal after the charge", () => {
	it.for(EACH.flatMap((end) => FINAL.map((code) => [end, code] as const)))(
		"of %s by %s frees the units, and says that the charge is to be refunded",
		async ([end, code]) => {
			const fake = shopOf();
			const error = await failureOf(refusedSale(fake, end, code, 1));
			expect([error.code, error.isUnsold, await statusOf(fake)]).toEqual([code, true, "released"]);
		},
	);

	it.for(EACH.flatMap((end) => PASSING.map((code) => [end, code] as const)))(
		"of %s by %s, again and again, keeps the units, and the same sale is finished later",
		async ([end, code]) => {
			const fake = shopOf();
			const error = await failureOf(refusedSale(fake, end, code, 3));
			expect([error.code, error.isUnsold, await statusOf(fake)]).toEqual([code, false, "active"]);
			expect(error.message).toContain("The sale is open: call withHold again.");
			fake.world.setStock("A", 0); // others buy the rest
			await processOf(fake).withHold<never>(CART, ENDS[end] as never);
			expect(await statusOf(fake)).toBe(end === "place" ? "placed" : "consumed");
		},
	);

	it("of an address that is in no country says that the charge is to be refunded", async () => {
		const fake = shopOf();
		const nowhere = { name: "Ada", shipTo: { ...SHIP_TO, country: "XX" } };
		const error = await failureOf(processOf(fake).withHold(CART, (hold) => hold.place({ customer: nowhere })));
		expect([error.code, error.isUnsold, await statusOf(fake)]).toEqual(["invalid_customer", true, "released"]);
	});

	it("because the units went after the hold's own end says so, too", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			await fake.clock.set(hold.expiresAt);
			fake.world.setStock("A", 1);
			return hold.place({ customer: CUSTOMER });
		});
		expect(await failureOf(sale)).toMatchObject({ code: "no_inventory", isUnsold: true });
	});

	it("while the key is revoked, so that not even the hold can be released, says so, too", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			fake.world.suspend();
			return hold.place({ customer: CUSTOMER });
		});
		expect(await failureOf(sale)).toMatchObject({ code: "unauthorized", isUnsold: true });
		fake.world.resume();
		expect(await statusOf(fake)).toBe("active"); // until its own end
	});
});

describe("Nothing is said to be unsold", () => {
	it("after an order was placed", async () => {
		const fake = shopOf();
		const sale = processOf(fake).withHold(CART, async (hold) => {
			await hold.place({ customer: CUSTOMER });
			fake.world.failNext("forbidden");
			await processOf(fake).orders.get("cart-1");
			return expect.unreachable();
		});
		expect(await failureOf(sale)).toMatchObject({ code: "forbidden", isUnsold: false });
		expect(await statusOf(fake)).toBe("placed");
	});

	it.for<Code>(["forbidden", "unauthorized", "rate_limited", "internal_error"])(
		"while it cannot be read what an earlier call sold (%s)",
		async (code) => {
			const fake = shopOf();
			await processOf(fake).withHold(CART, ENDS.place);
			fake.world.failNext(code, 3);
			const error = await failureOf(processOf(fake).withHold(CART, notCalled));
			expect([error.code, error.isUnsold]).toEqual([code, false]);
		},
	);

	it("when the answer of the end is lost", async () => {
		const fake = shopOf();
		const error = await failureOf(refusedSale(fake, "place", "connection_lost", 3));
		expect([error instanceof OutcomeUnknown, error.isUnsold]).toEqual([true, false]);
	});

	it("when another hold was sold under the reference of the order", async () => {
		const fake = shopOf();
		await processOf(fake).withHold({ ...CART, externalRef: "cart-0" }, (hold) =>
			hold.place({ customer: CUSTOMER }, { idempotencyKey: "order-1" }),
		);
		const sale = processOf(fake).withHold(CART, (hold) =>
			hold.place({ customer: CUSTOMER }, { idempotencyKey: "order-1" }),
		);
		expect(await failureOf(sale)).toMatchObject({ code: "idempotency_mismatch", isUnsold: false });
	});
});

describe("A refusal before the charge", () => {
	it.for<Code>(["no_inventory", "unresolved_stack", "invalid_item", "forbidden"])(
		"by %s says that an earlier charge is to be refunded",
		async (code) => {
			const fake = shopOf();
			await processOf(fake).release((await processOf(fake).reserve(CART)).token);
			const client = processOf(fake);
			const find = client.holds.find.bind(client.holds);
			let isFirst = true;
			client.holds.find = async (...given) => {
				const found = await find(...given);
				if (isFirst) fake.world.failNext(code); // the requests after the first search are refused
				isFirst = false;
				return found;
			};
			const error = await failureOf(client.withHold(CART, notCalled));
			expect([error.code, error.isUnsold]).toEqual([code, true]);
		},
	);

	it.for(EACH)("of a reference that sold other items (%s) is reference_used, and refunds nothing", async (end) => {
		const fake = shopOf();
		await processOf(fake).withHold<never>(CART, ENDS[end] as never);
		for (const items of [[{ sku: "A", qty: 3 }], [{ sku: "B", qty: 2 }]]) {
			const error = await failureOf(processOf(fake).withHold({ ...CART, items }, notCalled));
			expect([error.code, error.isUnsold]).toEqual(["reference_used", false]);
		}
	});
});
