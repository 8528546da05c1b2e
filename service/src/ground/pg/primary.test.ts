import { describe, expect, it } from "vitest";
import { createPrimary, MISSING_AFTER_MS, MISSING_LOOKS } from "./primary.ts";

/** A primary that is watched from 0 ms on, and what was reported about it. */
function watched() {
	let at = 0;
	const told: boolean[] = [];
	const primary = createPrimary({ now: () => at, onChange: (isMissing) => told.push(isMissing) });
	/** A look that took this long. */
	const look = (found: boolean, ms: number): void => {
		const beganAt = at;
		at += ms;
		primary.noteLook(beganAt, found);
	};
	return { primary, told, look };
}

describe("A primary", () => {
	it("is missing once looks have found none for long enough, and no longer after the first one that finds it", () => {
		const { primary, told, look } = watched();
		look(true, 10);
		for (let ms = 0; ms + 500 < MISSING_AFTER_MS; ms += 500) look(false, 500);
		expect(primary.isMissing()).toBe(false);
		look(false, 500);
		expect(primary.isMissing()).toBe(true);
		look(false, 500);
		look(true, 10);
		expect(primary.isMissing()).toBe(false);
		expect(told).toEqual([true, false]);
	});

	it("is not missing as long as looks find it in between", () => {
		const { told, look } = watched();
		for (let n = 0; n < 10; n++) {
			look(false, MISSING_AFTER_MS / 2);
			look(true, 10);
		}
		expect(told).toEqual([]);
	});

	it("is not missing because of a few looks that took long: this process may have been suspended", () => {
		const { primary, look } = watched();
		for (let n = 1; n < MISSING_LOOKS; n++) look(false, 20 * MISSING_AFTER_MS);
		expect(primary.isMissing()).toBe(false);
		look(false, 10);
		expect(primary.isMissing()).toBe(true);
	});

	it("is there when something was committed, whatever looks find", () => {
		const { primary, told, look } = watched();
		for (let n = 0; n < 2 * MISSING_LOOKS; n++) look(false, MISSING_AFTER_MS / MISSING_LOOKS);
		primary.noteCommit();
		expect(primary.isMissing()).toBe(false);
		look(false, 10);
		expect(primary.isMissing()).toBe(false);
		expect(told).toEqual([true, false]);
	});
});
