import { describe, expect, it } from "vitest";
import { type Beat, judgeReplica, type Known, MAX_LAG_MS, type ReplicaEvidence } from "./judge-replica.ts";

const NOW = 100_000;
const beat = (stamp: string, age: number): Beat => ({ stamp, sentAt: NOW - age });
const known = (beats: readonly Beat[], more: Partial<Known> = {}): Known => ({
	beats: new Map(beats.map((one) => [one.stamp, one])),
	primaryTimeline: 3,
	now: NOW,
	floor: Number.NEGATIVE_INFINITY,
	...more,
});
const GOOD: ReplicaEvidence = { inRecovery: true, isReceiving: true, timeline: 3, stamp: "b", beatTimeline: 3 };
const BEATS = [beat("a", 2_000), beat("b", 1_000), beat("c", 10)];

describe("a replica answers if, and only if, its snapshot proves that it is a recent part of the primary's history", () => {
	it.each<[string, Partial<ReplicaEvidence>, Known, string]>([
		["a recent beat", {}, known(BEATS), "b"],
		["the last beat", { stamp: "c" }, known(BEATS), "c"],
		["a beat at the limit", { stamp: "a" }, known([beat("a", MAX_LAG_MS)]), "a"],
		["a beat beyond the limit", { stamp: "a" }, known([beat("a", MAX_LAG_MS + 1)]), "late"],
		["a server that was promoted", { inRecovery: false }, known(BEATS), "promoted"],
		["a replica without a sender", { isReceiving: false, timeline: null }, known(BEATS), "detached"],
		["a role that may not see the timeline", { timeline: null }, known(BEATS), "hidden"],
		["a replica of a promoted replica", { timeline: 4 }, known(BEATS), "other_timeline"],
		["a replica of a replaced primary", {}, known(BEATS, { primaryTimeline: 4 }), "other_timeline"],
		["a beat from before a promotion", { timeline: 4 }, known(BEATS, { primaryTimeline: 4 }), "other_timeline"],
		["a beat of the promoted primary", { beatTimeline: 4 }, known(BEATS), "other_timeline"],
		["a primary that has not replied", {}, known(BEATS, { primaryTimeline: null }), "other_timeline"],
		["a beat of another history", { stamp: "x" }, known(BEATS), "unknown"],
		["a database without beats", { stamp: null, beatTimeline: null }, known(BEATS), "unknown"],
		["a node that has not written a beat", {}, known([]), "unknown"],
		["a reader that has seen as much", {}, known(BEATS, { floor: NOW - 1_000 }), "b"],
		["a reader that has seen more", {}, known(BEATS, { floor: NOW - 999 }), "behind"],
	])("%s", (_name, evidence, knows, expected) => {
		const judged = judgeReplica({ ...GOOD, ...evidence }, knows);
		expect(typeof judged === "string" ? judged : judged.stamp).toBe(expected);
	});
});
