import { describe, expect, it } from "vitest";
import { NOTHING } from "../../../test/golive/example-facts.ts";
import { minute } from "../../../test/golive/example-requests.ts";
import { goodRun } from "../../../test/golive/good-run.ts";
import { WRONG_PARTNERS } from "../../../test/golive/wrong-partners.ts";
import { ALL_CHECKS, judgeAll, passedOf } from "./checks.ts";
import { CHECKS, type CheckName, type GoLiveFacts, type Review } from "./facts.ts";

/** The checks that have this verdict. */
const having = (facts: GoLiveFacts, word: string): CheckName[] =>
	judgeAll(facts)
		.filter(({ verdict }) => verdict === word)
		.map(({ check }) => check);

describe("The set of checks", () => {
	it("is that of the operator contract, in its order", () => {
		expect(ALL_CHECKS.map(({ name }) => name)).toEqual(CHECKS);
	});

	it("passes nothing in a run in which nothing happened", () => {
		expect(having(NOTHING, "waiting")).toEqual(CHECKS);
		expect(passedOf(judgeAll(NOTHING))).toMatchObject({ passed: false, line: "passed 0 of 11, 11 waiting" });
	});

	it("passes a partner that does everything right", () => {
		expect(having(goodRun(), "passed")).toEqual(CHECKS);
		expect(passedOf(judgeAll(goodRun()))).toEqual({ passed: true, missing: [], line: "passed 12 of 12" });
	});

	it("asks a key only for what it may do", () => {
		const readOnly = { ...NOTHING, mayReserve: false, mayOrder: false, mayConsume: false, hasEndpoint: false };
		expect(having(readOnly, "waiting")).toEqual([
			"rate",
			"mirror_fresh",
			"mirror_equal",
			"coa_shown",
			"coa_feed",
			"drill",
			"unkind",
		]);
	});
});

const run = goodRun();
const review = (check: CheckName, passed: boolean, at = minute(150)): Review => ({
	check,
	at,
	by: "operator:ada",
	passed,
	words: "the pages show the counts",
});
const unseen = { ...run, hasStatusAddress: false, looks: [] };
const reviewed = (...reviews: readonly Review[]) => judgeAll({ ...unseen, reviews });

describe("A person's review", () => {
	it("is asked for where the run sees nothing", () => {
		expect(having(unseen, "review")).toEqual(["mirror_equal", "coa_shown", "drill"]);
		expect(passedOf(judgeAll(unseen))).toEqual({
			passed: false,
			missing: ["mirror_equal", "coa_shown", "drill"],
			line: "passed 9 of 12, 3 for a person to review",
		});
	});

	it("takes the place of the verdict, with name and words, and the latest counts", () => {
		const verdicts = reviewed(review("mirror_equal", false, minute(140)), review("mirror_equal", true));
		expect(verdicts.find(({ check }) => check === "mirror_equal")).toMatchObject({
			verdict: "passed",
			since: minute(150),
			says: "operator:ada looked at it: the pages show the counts",
			review: { by: "operator:ada" },
		});
		expect(reviewed(review("coa_shown", false)).find(({ check }) => check === "coa_shown")?.verdict).toBe("failed");
	});

	it("decides nothing that the run can see, and no drill that came after it", () => {
		const rate = reviewed(review("rate", false)).find(({ check }) => check === "rate");
		expect(rate).toMatchObject({ verdict: "passed", review: null });
		const drill = (at: number) => reviewed(review("drill", true, at)).find(({ check }) => check === "drill")?.verdict;
		expect(drill(minute(110))).toBe("passed");
		expect(drill(minute(110) - 1)).toBe("review");
	});
});

describe("The result of a run", () => {
	it("counts warnings as passed, and an optional check only once it is tried", () => {
		const warned = {
			...run,
			unkind: null,
			probes: run.probes.map((one) => (one.kind === "bad_signature" ? { ...one, status: 500 } : one)),
		};
		expect(passedOf(judgeAll({ ...warned, mayConsume: false }))).toEqual({
			passed: true,
			missing: [],
			line: "passed 10 of 10, 1 warning",
		});
	});

	it("may be passed with an optional check that failed, and says so", () => {
		const [, broken] = WRONG_PARTNERS.find(([, , fails]) => fails === "unkind") ?? [];
		expect(passedOf(judgeAll(broken ?? NOTHING))).toEqual({
			passed: true,
			missing: [],
			line: "passed 11 of 12, 1 failed",
		});
	});

	it("is not passed without a verdict", () => {
		expect(passedOf([]).passed).toBe(false);
	});
});
