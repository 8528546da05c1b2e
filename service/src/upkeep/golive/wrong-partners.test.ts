import { describe, expect, it } from "vitest";
import { WRONG_PARTNERS } from "../../../test/golive/wrong-partners.ts";
import { judgeAll } from "./checks.ts";
import { CHECKS, type CheckName, type GoLiveFacts } from "./facts.ts";

/** The checks that have this verdict. */
const having = (facts: GoLiveFacts, word: string): CheckName[] =>
	judgeAll(facts)
		.filter(({ verdict }) => verdict === word)
		.map(({ check }) => check);

describe("A partner fails exactly the check for what it does wrong", () => {
	it.each(WRONG_PARTNERS)("%s", (_what, facts, fails) => {
		expect(having(facts, "failed")).toEqual([fails]);
		expect(having(facts, "passed")).toEqual(CHECKS.filter((check) => check !== fails));
		const failed = judgeAll(facts).find(({ verdict }) => verdict === "failed");
		expect(failed?.evidence.length).toBeGreaterThan(0);
		expect(failed?.evidence.length).toBeLessThanOrEqual(20);
		expect(failed?.cure).toMatch(/\w/);
	});
});
