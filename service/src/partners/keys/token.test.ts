import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { checksum, newPk, newSk, parseToken } from "./token.ts";

interface Vectors {
	readonly checksums: readonly { text: string; checksum: string }[];
	readonly tokens: readonly { token: string; environment: "live" | "sandbox"; pk: string; sk: string }[];
	readonly refused: readonly { token: string; because: string }[];
}
const file = path.resolve(import.meta.dirname, "../../../../fixtures/key-format.json");
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;

describe("Key format (fixtures/key-format.json)", () => {
	it.each(vectors.checksums)("the checksum of $text", ({ text, checksum: expected }) => {
		expect(checksum(text)).toBe(expected);
	});

	it.each(vectors.tokens)("reads $pk", ({ token, environment, pk, sk }) => {
		expect(parseToken(token)).toEqual({ pk, sk, environment });
	});

	it.each(vectors.refused)("refuses a token $because", ({ token }) => {
		expect(parseToken(token)).toBeNull();
	});
});

describe.each(["live", "sandbox"] as const)("New %s keys", (environment) => {
	it("are read back, and no two are alike", () => {
		const seen = new Set<string>();
		for (let n = 0; n < 1_000; n++) {
			const [pk, sk] = [newPk(environment), newSk(environment)];
			expect(parseToken(`${pk}:${sk}`)).toEqual({ pk, sk, environment });
			seen.add(pk).add(sk);
		}
		expect(seen.size).toBe(2_000);
	});

	it("notice any one character that is wrong", () => {
		const token = `${newPk(environment)}:${newSk(environment)}`;
		for (let at = 0; at < token.length; at++) {
			const other = token[at] === "x" ? "y" : "x";
			expect(parseToken(token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
		}
	});
});
