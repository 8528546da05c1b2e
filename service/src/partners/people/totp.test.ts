import { describe, expect, it } from "vitest";
import { toBase32 } from "./base32.ts";
import { acceptedStep, isTotpForm, newTotpSecret, otpauthUrl, totpOf } from "./totp.ts";

/** RFC 6238, appendix B: the secret of its SHA-1 vectors. */
const SECRET = toBase32(Buffer.from("12345678901234567890"));

describe("the code of a step", () => {
	it.each([
		[59, "94287082"],
		[1_111_111_109, "07081804"],
		[1_111_111_111, "14050471"],
		[1_234_567_890, "89005924"],
		[2_000_000_000, "69279037"],
		[20_000_000_000, "65353130"],
	])("at %d seconds is %s, as RFC 6238 says", (seconds, code) => {
		expect(totpOf(SECRET, Math.floor(seconds / 30), 8)).toBe(code);
		expect(totpOf(SECRET, Math.floor(seconds / 30))).toBe(code.slice(2));
	});
});

describe("a code", () => {
	const now = 59_000;
	it.each([
		[0, null, 0],
		[1, null, 1],
		[2, null, 2],
		[3, null, null],
		[1, 0, 1],
		[1, 1, null],
		[0, 1, null],
	])("of step %d, after step %s was accepted, gives %s at step 1", (step, last, accepted) => {
		expect(acceptedStep(SECRET, totpOf(SECRET, step), now, last)).toBe(accepted);
	});

	it("has six digits", () => {
		expect(["287082", "28708", "2870822", "28708a", ""].map(isTotpForm)).toEqual([true, false, false, false, false]);
	});
});

it("a new secret has 160 bits in base32, and the address of an app names the person", () => {
	expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
	expect(otpauthUrl("ABC", "anna k")).toBe("otpauth://totp/Holdfast:anna%20k?secret=ABC&issuer=Holdfast");
});

it.each([
	["", ""],
	["f", "MY"],
	["fo", "MZXQ"],
	["foo", "MZXW6"],
	["foob", "MZXW6YQ"],
	["fooba", "MZXW6YTB"],
	["foobar", "MZXW6YTBOI"],
])("base32 of %j is %s (RFC 4648)", (text, encoded) => expect(toBase32(Buffer.from(text))).toBe(encoded));
