import { expect, it } from "vitest";
import type { Stamped } from "../lib/stamped.ts";
import type { Query } from "./connect.ts";
import { createVersionedCache } from "./versioned-cache.ts";

interface Value extends Stamped {
	readonly from: string;
}
/** `load` does not use it: the test answers each read itself. */
const TX = {} as Query;

/** A cache whose reads the test answers, in any order. */
function openCache() {
	const readings: { readonly seen: Value; answer(value: Value): void; fail(): void }[] = [];
	const cache = createVersionedCache<Value>(
		{ stamp: "none", from: "nothing" },
		(_tx, seen) =>
			new Promise((answer, reject) => {
				readings.push({ seen, answer, fail: () => reject(new Error("away")) });
			}),
	);
	return { cache, readings };
}

it("each reading gets what it read itself, and of readings that overlap the one that began last is kept", async () => {
	const { cache, readings } = openCache();
	const [early, late] = [cache.read(TX), cache.read(TX)];
	readings[1]?.answer({ stamp: "b", from: "late" });
	expect(await late).toEqual({ stamp: "b", from: "late" });
	readings[0]?.answer({ stamp: "a", from: "early" });
	expect(await early).toEqual({ stamp: "a", from: "early" });
	expect(cache.guess().from).toBe("late");
	const next = cache.read(TX);
	expect(readings[2]?.seen.from).toBe("late");
	readings[2]?.answer({ stamp: "c", from: "next" });
	await next;
	expect(cache.guess().from).toBe("next");
});

it("a reading that fails changes nothing, and the next one begins where the last good one ended", async () => {
	const { cache, readings } = openCache();
	const first = cache.read(TX);
	readings[0]?.answer({ stamp: "a", from: "first" });
	await first;
	const failing = cache.read(TX);
	readings[1]?.fail();
	await expect(failing).rejects.toThrow("away");
	expect(cache.guess().from).toBe("first");
	void cache.read(TX);
	expect(readings[2]?.seen.stamp).toBe("a");
});
