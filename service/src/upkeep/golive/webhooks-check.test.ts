import { describe, expect, it } from "vitest";
import { type CheckCase, judged, NOTHING, verdictOn } from "../../../test/golive/example-facts.ts";
import { cancel, minute } from "../../../test/golive/example-requests.ts";
import { goodRun } from "../../../test/golive/good-run.ts";
import type { GoLiveFacts, Probe } from "./facts.ts";
import { webhooksCheck } from "./webhooks-check.ts";

const PROBES = goodRun().probes;
const ALL = ["p1", "p2", "p3", "p4", "p5"];
/** The messages of a good run, one of which is answered differently. */
const answered = (deliveryId: string, status: number | null): Partial<GoLiveFacts> => ({
	probes: PROBES.map((probe) => (probe.deliveryId === deliveryId ? { ...probe, status } : probe)),
});
/** The same, and after them one more. */
const andThen = (some: Partial<GoLiveFacts>, probe: Partial<Probe>): Partial<GoLiveFacts> => ({
	...some,
	probes: [
		...(some.probes ?? []),
		{ at: minute(90), deliveryId: "p9", kind: "good", repeats: null, status: 200, ...probe },
	],
});
/**
 * Cancels `first` milliseconds after the first message with an id (minute 70), and `second` after the second (minute
 * 71).
 */
const reacting = (first: number, second: number): Partial<GoLiveFacts> => ({
	probes: PROBES,
	requests: [cancel("w1", minute(70, first), "o3"), cancel("w2", minute(71, second), "o3")],
});

const WEBHOOKS: readonly CheckCase[] = [
	["nothing was sent", {}, "waiting", []],
	["all are answered well", { probes: PROBES }, "passed", ALL],
	["one kind was not sent", { probes: PROBES.slice(0, 4) }, "waiting", ALL.slice(0, 4)],
	["a bad signature is accepted", answered("p3", 200), "failed", ["p3"]],
	["an old timestamp is accepted", answered("p4", 202), "failed", ["p4"]],
	["a repeated id is refused", answered("p2", 409), "failed", ["p2"]],
	["a double signature is refused", answered("p5", 401), "failed", ["p5"]],
	["a good message is refused", answered("p1", 401), "failed", ["p1"]],
	["2xx ends at 299", answered("p5", 300), "failed", ["p5"]],
	["410 would end the endpoint", answered("p3", 410), "failed", ["p3"]],
	["a refusal by 500 is a warning", answered("p3", 500), "warning", ALL],
	["so is one by 302", answered("p4", 302), "warning", ALL],
	["4xx ends at 499", answered("p4", 499), "passed", ALL],
	["no answer came", answered("p3", null), "waiting", ALL],
	[
		"the next message of the kind mends it",
		andThen(answered("p3", 200), { kind: "bad_signature", status: 401 }),
		"passed",
		["p1", "p2", "p4", "p5", "p9"],
	],
	["one of another kind does not", andThen(answered("p3", 200), { kind: "good" }), "failed", ["p3"]],
	["a repeated id is acted upon twice", reacting(2_000, 2_000), "failed", ["p1", "p2", "w1", "w2"]],
	["a reaction comes within 30 s", reacting(30_000, 30_000), "failed", ["p1", "p2", "w1", "w2"]],
	["what comes later is none", reacting(30_000, 30_001), "passed", ALL],
	[
		"acting once is right",
		{ ...reacting(2_000, 2_000), requests: [cancel("w1", minute(70, 2_000), "o3")] },
		"passed",
		ALL,
	],
	["a repeated id is watched for 30 s", { probes: PROBES, now: minute(71, 29_999) }, "waiting", ALL],
	["and not longer", { probes: PROBES, now: minute(71, 30_000) }, "passed", ALL],
];

describe("webhooks", () => {
	it.each(WEBHOOKS)("%s", (_name, some, verdict, evidence) => {
		expect(judged(webhooksCheck, some)).toEqual([verdict, evidence]);
	});

	it("concerns whoever has an endpoint, or had one that was sent messages", () => {
		const failing = { ...NOTHING, ...answered("p3", 200) };
		expect(webhooksCheck.concerns({ ...NOTHING, hasEndpoint: false })).toBe(false);
		expect(webhooksCheck.concerns({ ...failing, hasEndpoint: false })).toBe(true);
	});

	it("says which message was answered how", () => {
		expect(verdictOn(webhooksCheck, answered("p3", 200)).says).toBe(
			"At 2026-12-01T09:12:00.000Z a message with a bad signature was answered 200; it has to be refused with 4xx.",
		);
	});
});
