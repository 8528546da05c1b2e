import { expect, it } from "vitest";
import { createReplays, EXPECTED_FOR_BATCHES } from "./rows.ts";

it("Replays are expected behind one, until a number of batches has come without another", () => {
	const replays = createReplays();
	const after = (...found: boolean[]): boolean => {
		for (const one of found) replays.note(one);
		return replays.expected();
	};
	const none = (batches: number): boolean[] => Array.from({ length: batches }, () => false);
	expect(after()).toBe(false);
	expect(after(false)).toBe(false);
	expect(after(true)).toBe(true);
	expect(after(...none(EXPECTED_FOR_BATCHES - 1))).toBe(true);
	expect(after(true, ...none(EXPECTED_FOR_BATCHES - 1))).toBe(true);
	expect(after(false)).toBe(false);
});
