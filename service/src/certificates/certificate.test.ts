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

it("a buyer is told the best that holds of any product of the batch", () => {
	expect(stateOf(["retired", "archived", "current"])).toBe("current");
	expect(stateOf(["retired", "archived"])).toBe("archived");
	expect(stateOf(["retired"])).toBe("withdrawn");
});
