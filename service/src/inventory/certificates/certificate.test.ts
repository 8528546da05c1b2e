import { expect, it } from "vitest";
import { CERTIFICATE_STATUSES, canBecome, stateOf, wrongMove } from "./certificate.ts";

it("a draft is published or archived, those two change to and fro, and what is retired stays so", () => {
	const moves = CERTIFICATE_STATUSES.flatMap((from) =>
		CERTIFICATE_STATUSES.filter((to) => canBecome(from, to)).map((to) => `${from} ${to}`),
	);
	expect(moves).toEqual([
		"draft current",
		"draft archived",
		"current archived",
		"current retired",
		"archived current",
		"archived retired",
	]);
});

it("of a batch with a recalled lot a certificate can only be retired", () => {
	expect(wrongMove("draft", "current", true)?.refusal).toBe("wrong_state");
	expect(wrongMove("current", "archived", true)?.refusal).toBe("wrong_state");
	expect(wrongMove("current", "retired", true)).toBeNull();
	expect(wrongMove("archived", "current", false)).toBeNull();
});

const GOOD = { sandbox: false, recalled: false };

it("a buyer is told the best that holds of any product of the batch", () => {
	expect(stateOf({ ...GOOD, statuses: ["retired", "archived", "current"] })).toBe("current");
	expect(stateOf({ ...GOOD, statuses: ["retired", "archived"] })).toBe("archived");
	expect(stateOf({ ...GOOD, statuses: ["retired"] })).toBe("withdrawn");
	expect(stateOf({ ...GOOD, statuses: [] })).toBe("pending");
});

it("a buyer is told of a recall whatever certificates say, and of the sandbox that it is a sample", () => {
	for (const statuses of [["current"], ["archived", "retired"], []] as const) {
		expect(stateOf({ ...GOOD, recalled: true, statuses })).toBe("withdrawn");
		expect(stateOf({ ...GOOD, sandbox: true, statuses })).toBe("sample");
	}
});
