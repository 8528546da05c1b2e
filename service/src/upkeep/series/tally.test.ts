import { expect, it } from "vitest";
import { Tally } from "./tally.ts";

it("A tally adds up by series and label, is empty once it was taken, and takes back what could not be written", () => {
	const tally = new Tally();
	tally.add("holds", "made");
	tally.add("holds", "made", 2);
	tally.add("requests", "200");
	const taken = tally.take();
	expect(taken).toEqual([
		{ name: "holds", label: "made", value: 3 },
		{ name: "requests", label: "200", value: 1 },
	]);
	expect(tally.take()).toEqual([]);
	tally.add("holds", "made");
	tally.putBack(taken);
	expect(tally.take()).toContainEqual({ name: "holds", label: "made", value: 4 });
});
