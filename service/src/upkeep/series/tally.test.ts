import { expect, it } from "vitest";
import { Tally } from "./tally.ts";

it("A tally adds up by series, label and owner, is empty once it was taken, and takes back what could not be written", () => {
	const tally = new Tally();
	tally.add("holds", "made", "a");
	tally.add("holds", "made", "a", 2);
	tally.add("holds", "made", "b");
	tally.add("requests", "401", null);
	const taken = tally.take();
	expect(taken).toHaveLength(3);
	expect(taken).toContainEqual({ name: "holds", label: "made", owner: "a", value: 3 });
	expect(taken).toContainEqual({ name: "holds", label: "made", owner: "b", value: 1 });
	expect(taken).toContainEqual({ name: "requests", label: "401", owner: null, value: 1 });
	expect(tally.take()).toEqual([]);
	tally.add("holds", "made", "a");
	tally.putBack(taken);
	expect(tally.take()).toContainEqual({ name: "holds", label: "made", owner: "a", value: 4 });
});

it("A tally that has too many owners loses nothing of the sums", () => {
	const tally = new Tally();
	for (let n = 0; n < 10_010; n++) tally.add("holds", "made", `${n}`);
	tally.add("holds", "made", "1");
	const taken = tally.take();
	expect(taken).toContainEqual({ name: "holds", label: "made", owner: null, value: 10 });
	expect(taken).toContainEqual({ name: "holds", label: "made", owner: "1", value: 2 });
	expect(taken.reduce((sum, { value }) => sum + value, 0)).toBe(10_011);
});
