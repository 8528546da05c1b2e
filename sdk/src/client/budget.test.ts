import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRateLimit } from "../../../service/src/partners/http/rate-limit.ts";
import { Budget, type Priority } from "./budget.ts";
import { SimulatedTime } from "./simulated-time-for-tests.ts";
import type { RateLimit } from "./types.ts";

const WINDOW_MS = 60_000;

interface Plan {
	/** Milliseconds after the previous request. */
	readonly gap: number;
	readonly priority: Priority;
	/** Milliseconds to the service, and back. */
	readonly there: number;
	readonly back: number;
	/** Whether the answer, or the request itself, is lost. */
	readonly lost: "nothing" | "answer" | "request";
}

const ms = fc.oneof({ weight: 3, arbitrary: fc.nat(200) }, { weight: 1, arbitrary: fc.nat(40_000) });
const plans = fc.array(
	fc.record<Plan>({
		gap: fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(30_000) }),
		priority: fc.constantFrom<Priority>(0, 1, 2),
		there: ms,
		back: ms,
		lost: fc.constantFrom("nothing", "nothing", "nothing", "answer", "request"),
	}),
	{ maxLength: 150 },
);

/** The service's own limiter, behind a network that delays and loses messages. */
function serviceOf(time: SimulatedTime, limit: number) {
	const limiter = createRateLimit({ now: () => time.now() });
	const arrivals: number[] = [];
	let refused = 0;
	const count = (): RateLimit => {
		const { allowed, left, seconds } = limiter.take("key", limit);
		if (!allowed) refused++;
		return { limit, windowMs: WINDOW_MS, left, resetMs: seconds * 1000 };
	};
	const ask = async ({ there, back, lost }: Omit<Plan, "gap" | "priority">): Promise<RateLimit | null> => {
		await time.sleep(there);
		if (lost === "request") return null;
		arrivals.push(time.now());
		const answer = count();
		await time.sleep(back);
		return lost === "answer" ? null : answer;
	};
	return { ask, count, arrivals, refused: () => refused };
}

async function send(budget: Budget, service: ReturnType<typeof serviceOf>, plan: Plan): Promise<void> {
	const place = await budget.take(plan.priority, undefined);
	place.end(await service.ask(plan));
}

const QUICK: Plan = { gap: 0, priority: 0, there: 1, back: 1, lost: "nothing" };

describe("The budget of a key", () => {
	it("the service never counts more than the key's figure in any 60 seconds, and every request is sent", async () => {
		const scenario = fc.asyncProperty(plans, fc.integer({ min: 1, max: 80 }), async (given, limit) => {
			const time = new SimulatedTime();
			const budget = new Budget(time);
			const service = serviceOf(time, limit);
			void send(budget, service, QUICK); // its answer names the limit
			await time.run();
			let sent = 0;
			let at = 0;
			for (const plan of given) {
				at += plan.gap;
				time.plan(at, () => void send(budget, service, plan).then(() => sent++));
			}
			await time.run();
			expect(sent).toBe(given.length);
			expect(service.refused()).toBe(0);
			const { arrivals } = service;
			for (const end of arrivals) {
				const inWindow = arrivals.filter((one) => one > end - WINDOW_MS && one <= end);
				expect(inWindow.length).toBeLessThanOrEqual(limit);
			}
		});
		await fc.assert(scenario, { numRuns: 200 });
	});

	it("does not wait longer than it must: as many as the figure go at once, and the next a window after the first answer", async () => {
		const time = new SimulatedTime();
		const budget = new Budget(time);
		const service = serviceOf(time, 60);
		const start = time.now();
		const times: number[] = [];
		for (let n = 0; n < 61; n++) void send(budget, service, QUICK).then(() => times.push(time.now() - start));
		await time.run();
		expect(times.filter((at) => at === 2)).toHaveLength(60);
		expect(times[60]).toBe(2 + WINDOW_MS + 2);
	});

	it("commands go before reads, and reads before mirrors, which leave a sixth of the figure to others", async () => {
		const time = new SimulatedTime();
		const budget = new Budget(time);
		const order: Priority[] = [];
		const take = async (priority: Priority): Promise<void> => {
			const place = await budget.take(priority, undefined);
			order.push(priority);
			place.end(null);
		};
		for (let n = 0; n < 70; n++) void take(2);
		await time.settle();
		expect(order).toHaveLength(50);
		for (let n = 0; n < 10; n++) void take(0);
		expect(order).toHaveLength(50);
		await time.settle();
		expect(order).toHaveLength(60);
		for (const priority of [2, 1, 0, 1, 0] as const) void take(priority);
		await time.run();
		expect(order.slice(60, 64)).toEqual([0, 0, 1, 1]);
		expect(order.slice(64)).toEqual(Array.from({ length: 21 }, () => 2));
	});

	it("makes room for requests of other processes that the service counts", async () => {
		const time = new SimulatedTime();
		const budget = new Budget(time);
		const service = serviceOf(time, 10);
		for (let n = 0; n < 7; n++) service.count();
		void send(budget, service, QUICK);
		await time.run();
		for (let n = 0; n < 3; n++) void send(budget, service, QUICK);
		await time.run();
		expect(service.refused()).toBe(0);
	});

	it("sends nothing while the service refuses the key", async () => {
		const time = new SimulatedTime();
		const budget = new Budget(time);
		const place = await budget.take(0, undefined);
		place.end(null);
		place.block(17_000);
		const start = time.now();
		let waited = -1;
		void budget.take(0, undefined).then(() => {
			waited = time.now() - start;
		});
		await time.run();
		expect(waited).toBe(17_000);
	});

	it("keeps to the caller's figure where it is lower, and to the service's where that is lower", async () => {
		for (const [most, limit, expected] of [
			[5, 60, 5],
			[100, 20, 20],
		] as const) {
			const time = new SimulatedTime();
			const budget = new Budget(time);
			budget.restrict(most);
			const service = serviceOf(time, limit);
			void send(budget, service, QUICK);
			await time.run();
			time.jump(WINDOW_MS);
			const start = time.now();
			let atOnce = 0;
			for (let n = 0; n < 120; n++)
				void send(budget, service, QUICK).then(() => (atOnce += time.now() - start < 1000 ? 1 : 0));
			await time.run();
			expect(atOnce).toBe(expected);
		}
	});

	it("a clock that is set back while requests are in flight delays nobody by more than a window", async () => {
		const time = new SimulatedTime();
		const budget = new Budget(time);
		budget.restrict(2);
		const [first, second] = [await budget.take(0, undefined), await budget.take(0, undefined)];
		first.end(null);
		time.jump(-3_600_000);
		second.end(null); // the later entry has the earlier time
		const start = time.now();
		void budget.take(0, undefined).then((place) => place.end(null));
		await time.run();
		expect(time.now() - start).toBeLessThanOrEqual(WINDOW_MS);
	});

	it("a clock that is set back an hour delays nobody by more than a window", async () => {
		const time = new SimulatedTime();
		const budget = new Budget(time);
		budget.restrict(1);
		(await budget.take(0, undefined)).end(null);
		time.jump(-3_600_000);
		const start = time.now();
		void budget.take(0, undefined).then((place) => place.end(null));
		await time.run();
		expect(time.now() - start).toBe(WINDOW_MS);
	});

	it("whoever is aborted while waiting leaves, and takes no place", async () => {
		const time = new SimulatedTime();
		const budget = new Budget(time);
		budget.restrict(1);
		(await budget.take(0, undefined)).end(null);
		const { signal, abort } = aborting();
		const waiting = budget.take(0, signal);
		const after = budget.take(0, undefined);
		abort();
		await expect(waiting).rejects.toThrow("enough");
		await expect(budget.take(0, signal)).rejects.toThrow("enough");
		await time.run();
		(await after).end(null);
	});
});

function aborting(): { readonly signal: AbortSignal; readonly abort: () => void } {
	const controller = new AbortController();
	return { signal: controller.signal, abort: () => controller.abort(new Error("enough")) };
}
