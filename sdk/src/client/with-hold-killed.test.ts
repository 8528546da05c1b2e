import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sizeOr } from "../../../service/test/sizes.ts";
import { createFakeHoldfast, type FakeHoldfast } from "../testing/index.ts";
import { ChargeUnknown, HoldfastError } from "./errors.ts";
import { Holdfast } from "./holdfast.ts";

/** Every sale of a shop, killed at each point where it waits, and repeated by the next process. */

const CART = { externalRef: "cart-1", items: [{ sku: "A", qty: 2 }] };
const CUSTOMER = {
	name: "Ada",
	shipTo: { line1: "1 Main Street", city: "Berlin", postalCode: "10115", country: "DE" },
};
const MINUTE_MS = 60_000;
/** More than the number of points at which a sale waits. */
const MOMENTS = 9;

/** A refusal without anything done, or the loss of an answer. */
type Failure = keyof typeof STATUS | "connection_lost";
const STATUS = { internal_error: 500, retry: 409, hold_race: 409, rate_limited: 429 };
const PASSING = ["retry", "hold_race", "rate_limited", "internal_error", "connection_lost"] as const;

interface Life {
	/** The moment at which the process dies, counted from its start. */
	readonly diesAt: number;
	/** A request that was on its way then arrives before this request of the next process; null: it never does. */
	readonly arrivesLate: number | null;
	/** Minutes until the next process starts. A hold lasts 30. */
	readonly minutesLater: number;
	/** Kits that other customers leave meanwhile; null: they buy nothing. */
	readonly stockLater: number | null;
	/** How the first requests fail, one after the other. */
	readonly failures: readonly (Failure | undefined)[];
}

interface Plan {
	readonly end: "place" | "consume";
	/** What the payment does; `silent`: it is made, or not, and its answer never arrives at the process that asked. */
	readonly payment: "succeeds" | "declines" | "silent, and made" | "silent, and not made";
	readonly lives: readonly Life[];
}

const never = (): Promise<never> => new Promise(() => undefined);

/** A payment provider that recognises a repeat by its key. */
class Gateway {
	state: "none" | "charged" | "declined" | "refunded" = "none";
	#isSilent: boolean;
	readonly #plan: Plan;
	readonly #beforeCharge: () => Promise<void>;

	constructor(plan: Plan, beforeCharge: () => Promise<void>) {
		this.#plan = plan;
		this.#isSilent = plan.payment.startsWith("silent");
		this.#beforeCharge = beforeCharge;
	}

	async charge(): Promise<"charged" | "declined" | "refunded" | "silence"> {
		const { payment } = this.#plan;
		if (this.#isSilent && payment === "silent, and not made") {
			this.#isSilent = false;
			return "silence";
		}
		if (this.state === "none") {
			if (payment !== "declines") await this.#beforeCharge();
			this.state = payment === "declines" ? "declined" : "charged";
		}
		if (this.#isSilent) {
			this.#isSilent = false;
			return "silence";
		}
		return this.state;
	}

	refund(): void {
		if (this.state === "charged") this.state = "refunded";
		else if (this.state === "none") this.state = "declined";
	}
}

/** The service, and all processes of the shop, one after the other. */
class Street {
	readonly fake: FakeHoldfast = createFakeHoldfast({ world: { stock: { A: 4 }, key: { requestsPerMinute: null } } });
	readonly gateway: Gateway;
	readonly #plan: Plan;
	/** Every hold of the cart that was ever made. */
	readonly tokens: string[] = [];
	#late: { readonly send: () => Promise<unknown>; readonly before: number } | undefined;

	constructor(plan: Plan) {
		this.#plan = plan;
		this.gateway = new Gateway(plan, () => this.#expectWholeHold());
	}

	/** Reads and changes the service without being part of the shop. */
	watcher(): Holdfast {
		return this.client(this.fake.fetch);
	}

	client(send: typeof fetch): Holdfast {
		const { clock, token } = this.fake;
		const own = { now: () => clock.now(), sleep: (ms: number) => clock.advance(ms) };
		return new Holdfast({ baseUrl: "https://api.holdfast.test", token, fetch: send, clock: own });
	}

	/** One process of the shop. `dies`: the moment of its death; infinite: it does not die. */
	async live({
		diesAt,
		arrivesLate,
		failures,
	}: Pick<Life, "diesAt" | "arrivesLate" | "failures">): Promise<"dead" | "again" | "over"> {
		let moment = 0;
		let requests = 0;
		let die = (): void => undefined;
		const dead = new Promise<"dead">((resolve) => {
			die = () => resolve("dead");
		});
		const livesOn = async (): Promise<void> => {
			moment++;
			if (moment < diesAt) return;
			die();
			await never();
		};
		const send: typeof fetch = async (input, init) => {
			requests++;
			const late = this.#late;
			if (late !== undefined && requests >= late.before) {
				this.#late = undefined;
				await late.send();
			}
			const { signal: _, ...request } = init ?? {};
			const isLast = moment + 1 === diesAt;
			if (isLast && arrivesLate !== null) {
				this.#late = { send: () => this.#carryOut(input, request), before: arrivesLate };
			}
			await livesOn();
			const answer = await this.#carryOut(input, request, failures[requests - 1]);
			await livesOn();
			return answer;
		};
		const charge = async (): ReturnType<Gateway["charge"]> => {
			await livesOn();
			const paid = await this.gateway.charge();
			await livesOn();
			return paid;
		};
		const refund = async (): Promise<void> => {
			await livesOn();
			this.gateway.refund();
			await livesOn();
		};
		return await Promise.race([dead, this.#sell(this.client(send), charge, refund)]);
	}

	/** The shop's program. */
	async #sell(holdfast: Holdfast, charge: Gateway["charge"], refund: () => Promise<void>): Promise<"again" | "over"> {
		try {
			await holdfast.withHold(CART, async (hold) => {
				const paid = await charge();
				if (paid === "silence") throw new ChargeUnknown();
				if (paid !== "charged") return hold.release();
				return this.#plan.end === "place" ? hold.place({ customer: CUSTOMER }) : hold.consume();
			});
			return "over";
		} catch (error) {
			if (!(error instanceof HoldfastError) && !(error instanceof ChargeUnknown)) throw error;
			if (!(error instanceof HoldfastError) || !error.isUnsold) return "again";
			await refund();
			return "over";
		}
	}

	async #carryOut(input: Parameters<typeof fetch>[0], init: RequestInit, failure?: Failure): Promise<Response> {
		if (failure !== undefined && failure !== "connection_lost") {
			return Response.json({ error: { code: failure, message: "Nothing was done." } }, { status: STATUS[failure] });
		}
		const response = await this.fake.fetch(input, init);
		if (response.ok && new Request(input).url.endsWith("/reserve")) await this.#expectOneHold();
		if (failure === "connection_lost") throw new TypeError("fetch failed");
		return response;
	}

	async #expectOneHold(): Promise<void> {
		const { token } = await this.watcher().holds.find(REFERENCE);
		if (this.tokens.includes(token)) return;
		for (const earlier of this.tokens) {
			expect((await this.watcher().holds.get(earlier)).status, "A second hold was made.").not.toBe("active");
		}
		this.tokens.push(token);
	}

	async #expectWholeHold(): Promise<void> {
		const hold = await this.watcher().holds.find(REFERENCE);
		expect(hold, "It was charged without a whole hold.").toMatchObject({ status: "active", impaired: false });
	}

	/** While the payment is unknown, the units are not lost: the hold is active, or its time was over. */
	async expectUnitsKept(): Promise<void> {
		if (this.gateway.state !== "charged") return;
		const hold = await this.watcher().holds.find(REFERENCE);
		expect(hold.status, "The paid units were given away.").not.toBe("released");
	}

	async expectAllWell(): Promise<void> {
		const orders = await Array.fromAsync(this.watcher().orders.list());
		const holds = await Promise.all(this.tokens.map((token) => this.watcher().holds.get(token)));
		const sold = holds.filter(({ status }) => status === "placed" || status === "consumed");
		expect(
			holds.filter(({ status }) => status === "active"),
			"A hold was left.",
		).toEqual([]);
		expect(orders.length, "There are two orders.").toBe(this.#plan.end === "place" ? sold.length : 0);
		expect(sold.length, `It was ${this.gateway.state}.`).toBe(this.gateway.state === "charged" ? 1 : 0);
	}
}

const REFERENCE = { externalRef: CART.externalRef };

async function play(plan: Plan): Promise<Street> {
	const street = new Street(plan);
	let state: "dead" | "again" | "over" = "again";
	for (const life of plan.lives) {
		if (state === "over") break;
		state = await street.live(life);
		if (state === "again") await street.expectUnitsKept();
		await street.fake.clock.advance(life.minutesLater * MINUTE_MS);
		if (life.stockLater !== null) street.fake.world.setStock("A", life.stockLater);
	}
	// the next process is not killed, and repeats the call until there is a result
	for (let left = 5; state !== "over"; left--) {
		expect(left, "It never ends.").toBeGreaterThan(0);
		state = await street.live({ diesAt: Number.POSITIVE_INFINITY, arrivesLate: null, failures: [] });
	}
	await street.expectAllWell();
	return street;
}

const ENDS = ["place", "consume"] as const;
const PAYMENTS = ["succeeds", "declines", "silent, and made", "silent, and not made"] as const;
const QUIET: Omit<Life, "diesAt"> = { arrivesLate: null, minutesLater: 1, stockLater: null, failures: [] };
/** What may happen between a death and the next process. */
const BETWEEN = [null, 1, 2, 3].flatMap((arrivesLate) =>
	[1, 31].flatMap((minutesLater) => [null, 0, 2].map((stockLater) => ({ arrivesLate, minutesLater, stockLater }))),
);
/** Every day, each moment is tried with another part of them. */
const PARTS = sizeOr(1, 16);

describe("Whenever the process dies, nothing is charged without a whole hold, sold twice, or left held", () => {
	it.for(ENDS.flatMap((end) => PAYMENTS.map((payment) => [end, payment] as const)))(
		"%s, when the payment %s: at every moment, with what it sent lost or late, before and after the hold's end",
		async ([end, payment]) => {
			for (let diesAt = 1; diesAt <= MOMENTS; diesAt++) {
				for (const between of BETWEEN.filter((_one, at) => at % PARTS === diesAt % PARTS)) {
					await play({ end, payment, lives: [{ ...QUIET, diesAt, ...between }] });
				}
			}
		},
	);

	it.for(ENDS.flatMap((end) => PASSING.map((failure) => [end, failure] as const)))(
		"%s, when the end is refused with %s until no retry is left: the paid units are kept, and sold by the next process",
		async ([end, failure]) => {
			const failures = [undefined, undefined, failure, failure, failure]; // after the search and the reserve
			const refused = { ...QUIET, diesAt: Number.POSITIVE_INFINITY, stockLater: 0, failures };
			const street = await play({ end, payment: "succeeds", lives: [refused] });
			expect(street.gateway.state).toBe("charged");
		},
	);

	it("whatever else happens: many lives, a service that fails, and others who buy", async () => {
		const life = fc.record<Life>({
			diesAt: fc.integer({ min: 1, max: 2 * MOMENTS }),
			arrivesLate: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
			minutesLater: fc.constantFrom(0, 0, 1, 20, 29, 31, 1500),
			stockLater: fc.option(fc.nat(4), { nil: null }),
			failures: fc.array(fc.constantFrom<Failure>("connection_lost", "internal_error", "retry", "rate_limited"), {
				maxLength: 8,
			}),
		});
		const plan = fc.record<Plan>({
			end: fc.constantFrom(...ENDS),
			payment: fc.constantFrom(...PAYMENTS),
			lives: fc.array(life, { minLength: 1, maxLength: 5 }),
		});
		await fc.assert(
			fc.asyncProperty(plan, async (one) => void (await play(one))),
			{ numRuns: sizeOr(10_000, 30) },
		);
	});

	it.for(ENDS)("without a death, %s sells once, in fewer moments than are tried", async (end) => {
		const street = new Street({ end, payment: "succeeds", lives: [] });
		expect(await street.live({ ...QUIET, diesAt: MOMENTS })).toBe("over");
		await street.expectAllWell();
		expect([street.gateway.state, street.tokens.length]).toEqual(["charged", 1]);
	});
});
