import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairQueue, OWNERS_REMEMBERED } from "./fair-queue.ts";

interface Item {
	readonly owner: string;
	readonly weight: number;
	readonly n: number;
}
const NO_SHARE = Number.POSITIVE_INFINITY;

function filled(items: readonly Item[], now = 0) {
	const queue = createFairQueue<Item>();
	for (const item of items) queue.push(item.owner, item.weight, item, now);
	return queue;
}
const items = (owner: string, count: number, weight: number): Item[] =>
	Array.from({ length: count }, (_, n) => ({ owner, weight, n }));

describe("a queue of several owners", () => {
	it("gives a light owner its place in the next batch, however much a heavy one has waiting", () => {
		const queue = filled([...items("heavy", 64, 100), ...items("light", 1, 1)]);
		const batch = queue.take(512, 128, 0);
		expect(batch.some(({ owner }) => owner === "light")).toBe(true);
		expect(batch.filter(({ owner }) => owner === "heavy").length).toBe(1);
	});

	it("gives a heavy owner the whole batch while nobody else asks", () => {
		const queue = filled(items("heavy", 64, 100));
		expect(queue.take(512, 128, 0).length).toBe(5);
	});

	it("still counts an owner as a rival a moment after its last item, and no longer a second later", () => {
		const queue = filled([...items("light", 1, 1), ...items("heavy", 64, 100)], 0);
		expect(queue.take(512, 128, 0).map(({ owner }) => owner)).toContain("light");
		expect(queue.take(512, 128, 900).length).toBe(1);
		expect(queue.take(512, 128, 1_100).length).toBe(5);
	});

	it("lets a light owner's next item leave without the heavy owner's, which had its share just before", () => {
		const queue = filled([...items("heavy", 3, 100), ...items("light", 1, 1)]);
		const owners = () => queue.take(512, 128, 0).map(({ owner }) => owner);
		expect(owners()).toEqual(["heavy", "light"]);
		queue.push("light", 1, { owner: "light", weight: 1, n: 1 }, 0);
		expect(owners()).toEqual(["light"]);
		expect(owners()).toEqual(["heavy"]);
		expect(owners()).toEqual(["heavy"]); // no other owner waits
	});

	it("lets an item that is heavier than a batch leave alone", () => {
		const queue = filled([...items("a", 1, 900), ...items("b", 1, 1)]);
		expect(queue.take(512, 128, 0).length).toBe(1);
		expect(queue.take(512, 128, 0).length).toBe(1);
		expect(queue.size).toBe(0);
	});

	it("forgets owners for whom nothing waits without losing an item of the others, or their order", () => {
		const queue = filled(items("first", 3, 1));
		const passing = 3_000;
		const out: Item[] = [];
		for (let n = 0; n < passing; n++) {
			queue.push(`passing-${n}`, 1, { owner: `passing-${n}`, weight: 1, n: 0 }, 0);
			queue.push("second", 100, { owner: "second", weight: 100, n }, 0);
			out.push(...queue.take(1, 1, 0));
		}
		while (queue.size > 0) out.push(...queue.take(512, NO_SHARE, 0));
		expect(out.length).toBe(3 + 2 * passing);
		expect(out.filter(({ owner }) => owner === "second").map(({ n }) => n)).toEqual(
			items("second", passing, 100).map(({ n }) => n),
		);
		expect(queue.waitingOf("first") + queue.waitingOf("second") + queue.waitingOf("passing-2999")).toBe(0);
	});

	it("remembers no more than a bounded number of owners for whom nothing waits", () => {
		const queue = createFairQueue<number>();
		for (let n = 0; n < 5_000; n++) {
			queue.push(`passing-${n}`, 1, n, 0);
			expect(queue.take(512, 128, 0)).toEqual([n]);
			expect(queue.owners).toBeLessThanOrEqual(OWNERS_REMEMBERED);
		}
	});

	it("does not forget, with the owners for whom nothing waits, that one of them has to pause", () => {
		const queue = createFairQueue<string>();
		const ask = (owner: string, weight = 1) => queue.push(owner, weight, owner, 0);
		for (let n = 2; n < OWNERS_REMEMBERED; n++) {
			ask(`passing-${n}`);
			queue.take(512, 128, 0);
		}
		ask("heavy", 100);
		ask("light");
		expect(queue.take(512, 128, 0)).toEqual(["heavy", "light"]);
		ask("one too many");
		expect(queue.owners).toBe(2);
		ask("heavy", 100);
		expect(queue.take(512, 128, 0)).toEqual(["one too many"]);
	});

	const arbitraryItems = fc
		.array(fc.record({ owner: fc.constantFrom("a", "b", "c", "d"), weight: fc.integer({ min: 1, max: 150 }) }), {
			maxLength: 80,
		})
		.map((list) => list.map((item, n) => ({ ...item, n })));

	it("gives out every item once, each owner's in the order they came, and no batch too heavy", () => {
		fc.assert(
			fc.property(
				arbitraryItems,
				fc.integer({ min: 1, max: 300 }),
				fc.integer({ min: 1, max: 300 }),
				(list, max, share) => {
					const queue = filled(list);
					const out: Item[] = [];
					for (let round = 0; queue.size > 0; round++) {
						const batch = queue.take(max, share, 0);
						expect(batch.length).toBeGreaterThan(0);
						const weight = batch.reduce((sum, item) => sum + item.weight, 0);
						expect(weight <= max || batch.length === 1).toBe(true);
						out.push(...batch);
					}
					expect(out.length).toBe(list.length);
					for (const owner of ["a", "b", "c", "d"]) {
						expect(out.filter((item) => item.owner === owner)).toEqual(list.filter((item) => item.owner === owner));
					}
				},
			),
		);
	});

	it("keeps nobody waiting for ever: an owner with items has one of them within as many batches as there are owners", () => {
		fc.assert(
			fc.property(arbitraryItems, fc.integer({ min: 150, max: 300 }), (list, max) => {
				const queue = filled(list);
				const waits = new Map<string, number>();
				while (queue.size > 0) {
					const served = new Set(queue.take(max, NO_SHARE, 0).map(({ owner }) => owner));
					for (const owner of ["a", "b", "c", "d"]) {
						const waited = served.has(owner) || queue.waitingOf(owner) === 0 ? 0 : (waits.get(owner) ?? 0) + 1;
						waits.set(owner, waited);
						expect(waited).toBeLessThan(4);
					}
				}
			}),
		);
	});
});
