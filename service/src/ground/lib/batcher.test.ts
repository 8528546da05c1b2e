import { describe, expect, it } from "vitest";
import { type BatcherLimits, createBatcher } from "./batcher.ts";

const LIMITS: BatcherLimits<number> = {
	maxWaiting: 100,
	maxWaitingOfOne: 100,
	maxWeight: 4,
	maxShare: 4,
	inFlight: 2,
	weigh: () => 1,
};

/** Batches that end when the test ends them, with the commands of each. */
function stage(limits: Partial<BatcherLimits<number>> = {}) {
	const begun: {
		commands: readonly number[];
		end: (answers?: readonly (number | Error)[]) => void;
		fail: (error: Error) => void;
	}[] = [];
	const batcher = createBatcher<number, number>(
		{ ...LIMITS, ...limits },
		(commands) =>
			new Promise((resolve, reject) => {
				const end = (answers = commands.map((n) => n * 10) as readonly (number | Error)[]) => resolve(answers);
				begun.push({ commands, end, fail: reject });
			}),
	);
	const seen = () => begun.map(({ commands }) => commands.join(" "));
	return { batcher, begun, seen };
}
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe("commands that arrive together", () => {
	it("run together, in the order of their arrival, each with its own answer", async () => {
		const { batcher, begun, seen } = stage();
		const answers = Promise.all([1, 2, 3].map((n) => batcher.submit(n)));
		await turn();
		expect(seen()).toEqual(["1 2 3"]);
		begun[0]?.end();
		expect(await answers).toEqual([10, 20, 30]);
	});

	it("begin at once when nothing is under way, and otherwise when a batch ends", async () => {
		const { batcher, begun, seen } = stage({ inFlight: 1 });
		void batcher.submit(1);
		await turn();
		void batcher.submit(2);
		void batcher.submit(3);
		await turn();
		expect(seen()).toEqual(["1"]);
		begun[0]?.end();
		await turn();
		expect(seen()).toEqual(["1", "2 3"]);
	});

	it("are split where a batch is full, with as many batches under way as may be", async () => {
		const { batcher, begun, seen } = stage();
		for (let n = 1; n <= 11; n++) void batcher.submit(n);
		await turn();
		expect(seen()).toEqual(["1 2 3 4", "5 6 7 8"]);
		expect(batcher.waiting).toBe(3);
		begun[1]?.end();
		await turn();
		expect(seen()).toEqual(["1 2 3 4", "5 6 7 8", "9 10 11"]);
	});

	it("weigh what they weigh; one that is heavier than a batch runs alone", async () => {
		const { batcher, begun, seen } = stage({ inFlight: 1, weigh: (n) => n });
		for (const n of [2, 2, 9, 1]) void batcher.submit(n);
		for (let at = 0; at < 3; at++) {
			await turn();
			begun[at]?.end();
		}
		expect(seen()).toEqual(["2 2", "9", "1"]);
	});
});

describe("a batch", () => {
	it("that fails fails its own commands and no others", async () => {
		const { batcher, begun } = stage({ maxWeight: 2 });
		const answers = Promise.allSettled([1, 2, 3].map((n) => batcher.submit(n)));
		await turn();
		begun[0]?.fail(new Error("lost"));
		begun[1]?.end();
		expect((await answers).map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)))).toEqual([
			"Error: lost",
			"Error: lost",
			30,
		]);
	});

	it("may fail one command and answer those beside it", async () => {
		const { batcher, begun } = stage();
		const answers = Promise.allSettled([1, 2, 3].map((n) => batcher.submit(n)));
		await turn();
		begun[0]?.end([1, new Error("poison"), 3]);
		expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
	});

	it("that answers too few fails the rest instead of leaving them waiting", async () => {
		const { batcher, begun } = stage();
		const answers = Promise.allSettled([1, 2].map((n) => batcher.submit(n)));
		await turn();
		begun[0]?.end([1]);
		expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
	});
});

describe("the queue", () => {
	it("when full, tells the next caller to come back, and forgets nobody who waits", async () => {
		const { batcher, begun } = stage({ maxWaiting: 2, inFlight: 1, maxWeight: 1 });
		const first = batcher.submit(1);
		await turn();
		const waiting = [batcher.submit(2), batcher.submit(3)];
		expect(await batcher.submit(4)).toMatchObject({ refusal: "rate_limited", retryAfter: 1 });
		for (let at = 0; at < 3; at++) {
			begun[at]?.end();
			await turn();
		}
		expect(await Promise.all([first, ...waiting])).toEqual([10, 20, 30]);
	});

	it("is drained when everything that was submitted is answered", async () => {
		const { batcher, begun } = stage({ inFlight: 1, maxWeight: 1 });
		const order: string[] = [];
		void batcher.submit(1).then(() => order.push("1"));
		void batcher.submit(2).then(() => order.push("2"));
		const drained = batcher.drain().then(() => order.push("drained"));
		await turn();
		begun[0]?.end();
		await turn();
		expect(order).toEqual(["1"]);
		begun[1]?.end();
		await drained;
		expect(order).toEqual(["1", "2", "drained"]);
		await batcher.drain(); // nothing is under way, so it starts at once
	});
});
