import { describe, expect, it } from "vitest";
import { isPassword, storePassword } from "./hash-password.ts";
import { passwordProblem } from "./password.ts";

describe("a password that must not be chosen", () => {
	it.each([
		["short", "has fewer than 12 characters"],
		["eleven char", "has fewer than 12 characters"],
		["🔑".repeat(11), "has fewer than 12 characters"],
		["x".repeat(257), "has more than 256 characters"],
		["password1234", "is one of the passwords that are tried first"],
		["Passwort!2026", "is one of the passwords that are tried first"],
		["P@ssw0rd123456", "is one of the passwords that are tried first"],
		["qwertyuiop12", "is one of the passwords that are tried first"],
		["letmeinletmein", "is one of the passwords that are tried first"],
		["123456789012", "is one of the passwords that are tried first"],
		["abcdefghijkl", "is one of the passwords that are tried first"],
		["aaaaaaaaaaaa", "is one of the passwords that are tried first"],
		["abcabcabcabc", "is one of the passwords that are tried first"],
		["correct horse battery staple", "is one of the passwords that are tried first"],
		["holdfast-admin", "is one of the passwords that are tried first"],
		["annakowalski1", "is little more than the person's name"],
		["AnnaKowalski!!2026", "is little more than the person's name"],
	])("%j %s", (password, problem) => expect(passwordProblem(password, "annakowalski")).toBe(problem));

	it.each(["a quiet river under old bridges", "T7#kq9zLm2!x", "пароль из слов", "x".repeat(200) + "a quiet river"])(
		"and one that may: %j",
		(password) => expect(passwordProblem(password, "annakowalski")).toBe(null),
	);
});

describe("a stored password", () => {
	it("is accepted in either form of Unicode, and no other one is", async () => {
		const stored = await storePassword("caf\u00e9 under old bridges");
		expect(await isPassword("cafe\u0301 under old bridges", stored)).toBe(true);
		expect(await isPassword("cafe under old bridges", stored)).toBe(false);
		expect(await isPassword("", stored)).toBe(false);
		expect(await isPassword("", null)).toBe(false);
		expect(stored).toMatchObject({ algorithm: "argon2id", memory: 19_456, passes: 2, parallelism: 1 });
		expect((await storePassword("caf\u00e9 under old bridges")).hash).not.toBe(stored.hash);
	});

	it("is checked with its own parameters, so that later ones can cost more", async () => {
		// a test vector of the reference implementation (P-H-C/phc-winner-argon2, src/test.c)
		const hash = Buffer.from("9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe", "hex").toString(
			"base64",
		);
		const salt = Buffer.from("somesalt").toString("base64");
		const stored = { algorithm: "argon2id", memory: 256, passes: 2, parallelism: 1, salt, hash } as const;
		expect(await isPassword("password", stored)).toBe(true);
		expect(await isPassword("password", { ...stored, passes: 3 })).toBe(false);
	});
});
