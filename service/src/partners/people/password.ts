import { MAX_PASSWORD, MIN_PASSWORD } from "./limits.ts";

/** Words and sequences that common passwords are made of. */
const COMMON =
	/^(password|passwort|passphrase|motdepasse|contrasena|qwerty|qwertz|azerty|qwertyuiop|asdfghjkl|zxcvbnm|letmein|welcome|iloveyou|dragon|monkey|football|baseball|superman|batman|sunshine|princess|master|shadow|trustno|admin|administrator|root|user|login|access|secret|changeme|default|holdfast|warehouse|operator|test|demo|hello|abc|abcd|abcdef|abcdefgh|onetwothree|correcthorsebatterystaple|1q2w3e4r5t|1qaz2wsx3edc|q1w2e3r4t5|0123456789|1234567890|9876543210|0987654321)+$/;
const LEET: { readonly [digit: string]: string } = {
	"0": "o",
	"1": "l",
	"3": "e",
	"4": "a",
	"5": "s",
	"7": "t",
	"@": "a",
	$: "s",
	"!": "i",
};
/** A repetition of a piece of up to four characters is not accepted. */
const REPEATED = /^(.{1,4})\1+.{0,3}$/su;

/**
 * Why a password must not be chosen, as the end of a sentence; null: it may be. `name`: the person's.
 */
export function passwordProblem(password: string, name: string): string | null {
	const length = [...password].length;
	if (length < MIN_PASSWORD) return `has fewer than ${MIN_PASSWORD} characters`;
	if (length > MAX_PASSWORD) return `has more than ${MAX_PASSWORD} characters`;
	const plain = password.normalize("NFKC").toLowerCase();
	if (isMadeOf(plain, name.toLowerCase())) return "is little more than the person's name";
	const letters = plain.replace(/[^\p{L}\p{N}@$!]/gu, "");
	const bare = letters.replace(/[\d!]+$/, "");
	const unleeted = (text: string): string => text.replace(/[0134557@$!]/g, (digit) => LEET[digit] ?? digit);
	const isCommon = [letters, bare, unleeted(letters), unleeted(bare)].some((text) => COMMON.test(text));
	if (isCommon || REPEATED.test(plain) || isRun(plain)) return "is one of the passwords that are tried first";
	return null;
}

const MAX_AROUND_NAME = 6;

/** The name with only a few other characters around it, or none that are letters. */
function isMadeOf(password: string, name: string): boolean {
	if (name.length < 3 || !password.includes(name)) return false;
	const around = password.replaceAll(name, "");
	return around.length <= MAX_AROUND_NAME || !/\p{L}/u.test(around);
}

/** Each character follows the one before it, up or down: `abcdefghijkl`, `210987654321`. */
function isRun(text: string): boolean {
	const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
	return [1, -1].some((step) => codes.every((code, at) => at === 0 || isNext(codes[at - 1] ?? 0, code, step)));
}

const isNext = (before: number, code: number, step: number): boolean =>
	code - before === step ||
	(step === 1 && before === 0x39 && code === 0x30) ||
	(step === -1 && before === 0x30 && code === 0x39);
