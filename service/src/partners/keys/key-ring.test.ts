import { expect, it } from "vitest";
import { newKeyRingEntry, parseKeyRing } from "./key-ring.ts";

it("a ring is read entry by entry, the first is current", () => {
	const [first, second] = [newKeyRingEntry(), newKeyRingEntry()];
	const ring = parseKeyRing(`${first}, ${second}`);
	expect(ring.peppers.map(({ id }) => id)).toEqual([first, second].map((entry) => entry.split(":")[0]));
	expect(ring.current).toBe(ring.peppers[0]);
});

it.each([
	["empty", ""],
	["no id", "AAAA"],
	["too short", "a:AAAA"],
	["an id twice", "twice"],
])("a ring that is wrong (%s) is refused without telling its secrets", (_what, text) => {
	const secret = newKeyRingEntry().split(":")[1] ?? "";
	const ring = text === "twice" ? `a:${secret},a:${secret}` : `b:${secret},${text}`;
	expect(() => parseKeyRing(ring)).toThrow(/key ring/);
	try {
		parseKeyRing(ring);
	} catch (error) {
		expect(String(error)).not.toContain(secret);
	}
});
