import { expect, it } from "vitest";
import { isRefusal } from "./refusal.ts";
import { createTurns } from "./turns.ts";

/** Work that ends when the test ends it. */
function gate() {
	const { promise, resolve } = Promise.withResolvers<void>();
	return { promise, open: resolve };
}

it("one work is done at a time, and owners take turns", async () => {
	const turns = createTurns();
	const first = gate();
	const order: string[] = [];
	let under = 0;
	const work = (name: string) => async () => {
		expect(++under).toBe(1);
		order.push(name);
		if (name === "a1") await first.promise;
		await Promise.resolve();
		under--;
		return name;
	};
	const asked = ["a1", "a2", "a3", "b1"].map((name) => turns.take(name.slice(0, 1), work(name)));
	await expect.poll(() => order).toEqual(["a1"]);
	first.open();
	expect(await Promise.all(asked)).toEqual(["a1", "a2", "a3", "b1"]);
	expect(order.indexOf("b1")).toBeLessThan(order.indexOf("a3"));
});

it("a work that fails fails for its owner alone", async () => {
	const turns = createTurns();
	const failing = turns.take("a", () => Promise.reject(new Error("no")));
	const other = turns.take("b", async () => 1);
	await expect(failing).rejects.toThrow("no");
	expect(await other).toBe(1);
	await turns.drain();
});

it("an owner for whom too much waits is refused, and others are not", async () => {
	const turns = createTurns();
	const first = gate();
	const many = Array.from({ length: 300 }, () => turns.take("a", () => first.promise));
	const other = turns.take("b", async () => "done");
	first.open();
	const answers = await Promise.all(many);
	expect(answers.filter(isRefusal).length).toBeGreaterThan(0);
	expect(answers.find(isRefusal)).toMatchObject({ refusal: "rate_limited", retryAfter: 1 });
	expect(await other).toBe("done");
});
