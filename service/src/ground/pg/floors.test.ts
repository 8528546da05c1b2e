import { describe, expect, it } from "vitest";
import { createFloors } from "./floors.ts";

describe("what an owner of reads has seen", () => {
	it("only rises, and is that of the owner alone", () => {
		const floors = createFloors();
		floors.raise(["a"], 5);
		floors.raise(["a", "b"], 3);
		expect([floors.of(["a"]), floors.of(["b"]), floors.of(["c"])]).toEqual([5, 3, Number.NEGATIVE_INFINITY]);
	});

	it("is the latest of all owners that are answered together", () => {
		const floors = createFloors();
		floors.raise(["a"], 5);
		floors.raise(["b"], 7);
		expect(floors.of(["a", "b", "c"])).toBe(7);
	});

	it("is never lower than what it was, also of an owner that was forgotten", () => {
		const floors = createFloors(2);
		floors.raise(["a"], 5);
		floors.raise(["b"], 1);
		floors.raise(["a"], 2);
		floors.raise(["c"], 3); // b was the first to ask
		floors.raise(["d"], 4); // and then a
		expect(["a", "b", "c", "d"].map((owner) => floors.of([owner]))).toEqual([5, 5, 3, 4]);
	});
});
