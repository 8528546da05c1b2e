import { expect, it } from "vitest";
import { createUrlRules, refuseUrl } from "./refuse-url.ts";

const URL_OF = (n: number): string => `https://n${n}.example/hook`;

it("of one partner two names are looked up at once; a third is refused, and others do not notice", async () => {
	const answers: ((addresses: string[]) => void)[] = [];
	const lookUp = (): Promise<string[]> => new Promise((resolve) => answers.push(resolve));
	const rules = createUrlRules({ allowed: [], lookUp });
	const held = [refuseUrl(rules, URL_OF(1), "a"), refuseUrl(rules, URL_OF(2), "a")];
	expect(await refuseUrl(rules, URL_OF(3), "a")).toMatchObject({ refusal: "rate_limited" });
	expect(await refuseUrl(rules, "https://1.1.1.1/hook", "b")).toBeUndefined();
	const other = refuseUrl(rules, URL_OF(3), "b");
	for (const answer of answers) answer(["1.1.1.1"]);
	expect(await Promise.all([...held, other])).toEqual([undefined, undefined, undefined]);
	const again = refuseUrl(rules, URL_OF(4), "a");
	answers.at(-1)?.([]);
	expect(await again).toMatchObject({ refusal: "invalid_input" });
});
