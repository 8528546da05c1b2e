import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { environmentOf, publicHalf, tokenProblem } from "./token.ts";

const { tokens } = JSON.parse(readFileSync(new URL("../../../fixtures/key-format.json", import.meta.url), "utf8")) as {
	tokens: { token: string; environment: string; pk: string; sk: string }[];
};
const [first] = tokens;
const [pk, sk] = [first?.pk ?? "", first?.sk ?? ""];
const mistyped = (text: string): string => text.replace(/.(?=.{9}$)/, (one) => (one === "x" ? "y" : "x"));

describe("A key", () => {
	it.each(tokens.map((one) => [one.pk, one] as const))("%s may be one", (_name, one) => {
		expect(tokenProblem(one.token)).toBeNull();
		expect(environmentOf(one.token)).toBe(one.environment);
		expect(publicHalf(one.token)).toBe(one.pk);
	});

	it.each([
		["with a typing error in its public half", `${mistyped(pk)}:${sk}`, "The public half"],
		["with a typing error in its secret half", `${pk}:${mistyped(sk)}`, "The secret half"],
		["of halves of two environments", `${pk}:${sk.replace("live", "sandbox")}`, "not a complete key"],
		["without its secret half", pk, "not a complete key"],
		["without a letter", `${pk}:${sk.slice(1)}`, "not a complete key"],
		["with the word before it", `Bearer ${pk}:${sk}`, "not a complete key"],
		["in quotes", `"${pk}:${sk}"`, "not a complete key"],
		["that is empty", "", "not a complete key"],
	])("%s is refused without saying its secret", (_name, token, words) => {
		expect(tokenProblem(token)).toContain(words);
		expect(tokenProblem(token)).not.toContain(sk.slice(11, 30));
	});
});
