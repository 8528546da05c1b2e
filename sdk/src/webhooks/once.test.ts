import { afterEach, describe, expect, it, vi } from "vitest";
import { memorySeen, once, type SeenStore } from "./once.ts";

const EVENT = { id: "evt_1" };
const DAY_MS = 86_400_000;

/** A store that only adds, as a table with a unique column. */
function addOnly(ids = new Set<string>()): SeenStore {
	return {
		async add(id) {
			const isNew = !ids.has(id);
			ids.add(id);
			return isNew;
		},
	};
}

/** The same with `remove`. */
function removable(ids = new Set<string>()): SeenStore {
	return {
		...addOnly(ids),
		async remove(id) {
			ids.delete(id);
		},
	};
}

/** A handler that throws in its first `failures` runs. */
function failing(failures: number) {
	const handler = vi.fn<() => Promise<void>>(async () => {
		if (handler.mock.calls.length <= failures) throw new Error("the handler failed");
	});
	return handler;
}

describe.each([
	["in memory", memorySeen],
	["with remove", removable],
	["that only adds", addOnly],
])("A store %s", (_name, open) => {
	it("lets a handler run once for each id", async () => {
		const runOnce = once(open());
		const handler = failing(0);
		expect(await runOnce(EVENT, handler)).toBe(true);
		expect(await runOnce(EVENT, handler)).toBe(false);
		expect(await runOnce({ id: "evt_2" }, handler)).toBe(true);
		expect(handler.mock.calls).toEqual([[EVENT], [{ id: "evt_2" }]]);
	});

	it("does not count an event whose handler failed, however often", async () => {
		const runOnce = once(open());
		const handler = failing(3);
		for (let attempt = 0; attempt < 3; attempt++) {
			await expect(runOnce(EVENT, handler)).rejects.toThrow("the handler failed");
		}
		expect(await runOnce(EVENT, handler)).toBe(true);
		expect(await runOnce(EVENT, handler)).toBe(false);
		expect(handler).toHaveBeenCalledTimes(4);
	});

	it("lets calls with the same event wait for the one that runs, and share its result", async () => {
		const runOnce = once(open());
		const gate = Promise.withResolvers<void>();
		const handler = vi.fn<() => Promise<void>>(() => gate.promise);
		const calls = [runOnce(EVENT, handler), runOnce(EVENT, handler), runOnce(EVENT, handler)];
		await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
		gate.reject(new Error("the handler failed"));
		expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(Array(3).fill("rejected"));
		const again = failing(0);
		expect(await Promise.all([runOnce(EVENT, again), runOnce(EVENT, again)])).toEqual([true, false]);
		expect(again).toHaveBeenCalledOnce();
	});

	it("takes a handler that throws at once for a failed one", async () => {
		const runOnce = once(open());
		const thrower = () => {
			throw new Error("thrown at once");
		};
		await expect(runOnce(EVENT, thrower)).rejects.toThrow("thrown at once");
		expect(await runOnce(EVENT, failing(0))).toBe(true);
	});
});

describe("Two processes", () => {
	it("with one store run a handler once, and again in either after it failed", async () => {
		const ids = new Set<string>();
		const [one, two] = [once(removable(ids)), once(removable(ids))];
		const handler = failing(1);
		await expect(one(EVENT, handler)).rejects.toThrow();
		expect(await two(EVENT, handler)).toBe(true);
		expect(await one(EVENT, handler)).toBe(false);
		expect(handler).toHaveBeenCalledTimes(2);
	});

	it("need no remove where the store takes part in the handler's transaction", async () => {
		const committed = new Set<string>();
		const handled: string[] = [];
		async function transaction(work: (seen: SeenStore) => Promise<unknown>): Promise<void> {
			const ids = new Set(committed);
			await work(addOnly(ids));
			for (const id of ids) committed.add(id);
		}
		const attempt = (isFailing: boolean) =>
			transaction((seen) =>
				once(seen)(EVENT, ({ id }) => {
					if (isFailing) throw new Error("rolled back");
					handled.push(id);
				}),
			);
		await expect(attempt(true)).rejects.toThrow("rolled back");
		expect(committed).toEqual(new Set());
		await attempt(false);
		await attempt(false);
		expect(handled).toEqual(["evt_1"]);
	});
});

describe("A store that fails", () => {
	it("to add: the handler does not run, and the next call tries again", async () => {
		const store = memorySeen();
		let isConnected = false;
		const runOnce = once({
			add: (...given) => (isConnected ? store.add(...given) : Promise.reject(new Error("no connection"))),
		});
		const handler = failing(0);
		await expect(runOnce(EVENT, handler)).rejects.toThrow("no connection");
		expect(handler).not.toHaveBeenCalled();
		isConnected = true;
		expect(await runOnce(EVENT, handler)).toBe(true);
	});

	it("to remove: the handler's error is thrown, and this process still runs it again", async () => {
		const runOnce = once({ ...addOnly(), remove: () => Promise.reject(new Error("no connection")) });
		const handler = failing(1);
		await expect(runOnce(EVENT, handler)).rejects.toThrow("the handler failed");
		expect(await runOnce(EVENT, handler)).toBe(true);
		expect(await runOnce(EVENT, handler)).toBe(false);
	});
});

describe("Ids", () => {
	afterEach(() => vi.useRealTimers());

	it("are remembered for longer than the service can send an event again", async () => {
		vi.useFakeTimers({ toFake: ["Date"], now: 0 });
		const runOnce = once(memorySeen());
		expect(await runOnce(EVENT, failing(0))).toBe(true);
		vi.setSystemTime(34 * DAY_MS);
		expect(await runOnce(EVENT, failing(0))).toBe(false);
		vi.setSystemTime(35 * DAY_MS);
		expect(await runOnce(EVENT, failing(0))).toBe(true);
	});

	it("are forgotten in memory from the oldest on, beyond 100,000", async () => {
		const seen = memorySeen();
		const untilMs = Date.now() + DAY_MS;
		for (let n = 0; n <= 100_000; n++) await seen.add(`evt_${n}`, untilMs);
		expect(await seen.add("evt_100000", untilMs)).toBe(false);
		expect(await seen.add("evt_1", untilMs)).toBe(false);
		expect(await seen.add("evt_0", untilMs)).toBe(true);
	});
});
