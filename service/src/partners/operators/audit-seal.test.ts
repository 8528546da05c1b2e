import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keepSecret } from "../../../test/leaks/secrets.ts";
import { newKeyRingEntry, parseKeyRing } from "../keys/key-ring.ts";
import { type DayHead, type DaySeal, headsUntil, judgeSeals, NO_SEAL, sealOf } from "./audit-seal.ts";

const hashOf = (seq: number): Buffer => createHash("sha256").update(String(seq)).digest();
const head = (day: string, seq: number): DayHead => ({ day, seq, hash: hashOf(seq) });
const [first, second] = [newKeyRingEntry(), newKeyRingEntry()];
for (const one of [first, second]) keepSecret("an entry of the key ring", one);
const [OLD, NEW, BOTH] = [parseKeyRing(first), parseKeyRing(second), parseKeyRing(`${second},${first}`)];

describe("The ends of days", () => {
	it("are those of every day from the first with rows, and a day without rows ends as the one before it", () => {
		const ends = [head("2026-02-27", 3), head("2026-03-02", 8), head("2026-03-03", 9)];
		expect(headsUntil(null, ends, "2026-03-02")).toEqual([
			head("2026-02-27", 3),
			{ ...head("2026-02-28", 3) },
			{ ...head("2026-03-01", 3) },
			head("2026-03-02", 8),
		]);
		expect(headsUntil(head("2026-02-27", 3), [], "2026-02-28")).toEqual([head("2026-02-28", 3)]);
		expect(headsUntil(head("2026-02-27", 3), [], "2026-02-27")).toEqual([]);
		expect(headsUntil(null, [], "2026-02-27")).toEqual([]);
		expect(headsUntil(null, [head("2026-03-03", 9)], "2026-03-02")).toEqual([]);
	});
});

describe("A seal", () => {
	const days = ["2026-09-01", "2026-09-02", "2026-09-03"];
	/** Two days under the old entry of the ring, and one under the new entry. */
	const seals: DaySeal[] = [];
	let before = NO_SEAL;
	for (const [index, day] of days.entries()) {
		const { row, digest } = sealOf(head(day, index + 1), before, index < 2 ? OLD : BOTH);
		seals.push(row);
		before = digest;
	}
	const judged = (given: readonly DaySeal[], ring = BOTH) => {
		const { forged, unproved } = judgeSeals(given, ring);
		return [forged?.day ?? null, unproved?.day ?? null];
	};
	const changed = (index: number, more: Partial<DaySeal>): DaySeal[] =>
		seals.map((seal, at) => (at === index ? { ...seal, ...more } : seal));

	it("vouches for its day and all days before it, also where the ring has lost the entry of their seals", () => {
		expect(judgeSeals(seals, BOTH).digest).toBe(before);
		expect(judged(seals)).toEqual([null, null]);
		expect(judged(seals, NEW)).toEqual([null, null]);
		expect(judged([])).toEqual([null, null]);
		expect(judged(changed(0, { hash: hashOf(9) }), NEW)).toEqual(["2026-09-01", null]);
		expect(judged(changed(1, { seq: 9 }), NEW)).toEqual(["2026-09-01", null]);
	});

	it("proves nothing without the entry of the ring, until a later day is sealed", () => {
		expect(judged(seals.slice(0, 2), NEW)).toEqual([null, "2026-09-01"]);
		expect(judged(changed(2, { ringId: "made-up" }))).toEqual([null, "2026-09-03"]);
	});

	it("is not genuine when its day, its row or the text itself was changed, exchanged, or removed before others", () => {
		const [one, two, three] = seals as [DaySeal, DaySeal, DaySeal];
		for (const more of [{ hash: hashOf(9) }, { seq: 9 }, { sealed: one.sealed }, { ringId: BOTH.current.id }])
			expect(judged(changed(1, more))).toEqual(["2026-09-02", null]);
		expect(judged([one, three])).toEqual(["2026-09-03", null]);
		expect(judged([two, three])).toEqual(["2026-09-02", null]);
		const forged = sealOf(head("2026-09-02", 7), NO_SEAL, NEW).row;
		expect(judged([one, forged, three])).toEqual(["2026-09-02", null]);
	});
});
