import { describe, expect, it } from "vitest";
import { type LotChange, lotsToChange, tellLotChanges } from "./lot-changes.ts";

const change = (at: number, way: "out" | "in", batchNumber: string, units: number, more: Partial<LotChange> = {}) => ({
	at,
	way,
	batchNumber,
	units,
	fgId: `lot of ${batchNumber}`,
	formula: "CALM",
	cause: way === "out" ? "recall" : "repick",
	reason: way === "out" ? "lab report 77" : null,
	actor: "operator:ada",
	...more,
});
const RECALLED = [change(5, "out", "C-2609", 3), change(5, "in", "C-2610", 3)];

describe("What is to be changed in a box", () => {
	it.for([
		["the box was packed before: both lots", RECALLED, 4, ["3 C-2609"], ["3 C-2610"]],
		["it was packed anew since: nothing", RECALLED, 6, [], []],
		["nothing replaced them: only what comes out", RECALLED.slice(0, 1), 4, ["3 C-2609"], []],
		["they were given back: nothing", [...RECALLED.slice(0, 1), change(7, "in", "C-2609", 3)], 4, [], []],
		["a part was given back: the rest", [...RECALLED.slice(0, 1), change(7, "in", "C-2609", 1)], 4, ["2 C-2609"], []],
		[
			"the replacement was recalled too: the first out, the last in",
			[...RECALLED, change(8, "out", "C-2610", 3), change(8, "in", "C-2611", 3)],
			4,
			["3 C-2609"],
			["3 C-2611"],
		],
	] as const)("%s", ([_title, changes, since, out, into]) => {
		const { takeOut, putIn } = lotsToChange(changes, since);
		const told = (lots: typeof takeOut) => lots.map(({ units, batchNumber }) => `${units} ${batchNumber}`);
		expect([told(takeOut), told(putIn)]).toEqual([out, into]);
		expect(takeOut.every(({ isRecalled }) => isRecalled)).toBe(true);
	});
});

describe("The history tells", () => {
	it.for([
		[RECALLED, "recalled: 3 of C-2609 out, 3 of C-2610 in: lab report 77"],
		[[change(5, "out", "C-2609", 3, { reason: null })], "recalled: 3 of C-2609 out"],
		[[change(5, "out", "C-2609", 3, { cause: "quarantine" })], "quarantined: 3 of C-2609 out: lab report 77"],
		[[change(5, "out", "C-2609", 3, { cause: "repick", reason: null })], "past its date: 3 of C-2609 out"],
		[
			[change(5, "out", "C-2609", 3, { cause: "repick", reason: null, actor: "system:recall" })],
			"recalled: 3 of C-2609 out",
		],
		[[change(5, "out", "C-2609", 3, { cause: "void", reason: null })], "recalled: 3 of C-2609 out"],
		[[change(5, "in", "C-2610", 3)], "3 of C-2610 in"],
	] as const)("%j as %s", ([changes, why]) => {
		expect(tellLotChanges(changes)).toEqual([{ at: 5, actor: changes[0].actor, why }]);
	});
});
