import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Environment } from "../../glossary.ts";

/** A key's two halves as a caller presents them (settlements, section 3). */
export interface Token {
	/** Public: `pk_hf_live_…` or `pk_hf_sandbox_…`. */
	readonly pk: string;
	/** Secret: `sk_hf_live_…` or `sk_hf_sandbox_…`. Never logged, never stored. */
	readonly sk: string;
	readonly environment: Environment;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Characters for a CRC32: 62^6 > 2^32. */
const CHECKSUM_LENGTH = 6;
/** Random bytes of a public half: enough to avoid collisions. */
const ID_BYTES = 12;
const ID_LENGTH = 17;
/** Random bytes of a secret: 256 bits. */
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;

/** A number in base62, zero-padded to `length`. */
function base62(value: bigint, length: number): string {
	let text = "";
	for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
	return text;
}

/** The six characters that end each half: the CRC32 of everything before them, prefix included. */
export function checksum(text: string): string {
	return base62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function half(prefix: string, bytes: number, length: number): string {
	const text = prefix + base62(BigInt(`0x${randomBytes(bytes).toString("hex")}`), length);
	return text + checksum(text);
}

/** A new public half that begins with `prefix`. */
export const newPublicHalf = (prefix: string): string => half(prefix, ID_BYTES, ID_LENGTH);
/** A new secret half that begins with `prefix`. */
export const newSecretHalf = (prefix: string): string => half(prefix, SECRET_BYTES, SECRET_LENGTH);
/** Regular expressions, as texts, for the part of a public and of a secret half after the prefix. */
export const PUBLIC_HALF = `[0-9A-Za-z]{${ID_LENGTH + CHECKSUM_LENGTH}}`;
export const SECRET_HALF = `[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`;

export const newPk = (environment: Environment): string => newPublicHalf(`pk_hf_${environment}_`);

export const newSk = (environment: Environment): string => newSecretHalf(`sk_hf_${environment}_`);

const SHAPE = new RegExp(`^(pk_hf_(live|sandbox)_${PUBLIC_HALF}):(sk_hf_\\2_${SECRET_HALF})$`);

/** The parts of a token, or null if it has the wrong shape, mixed environments, or a typo (checksum). */
export function parseToken(text: string): Token | null {
	const match = SHAPE.exec(text);
	if (match === null) return null;
	const [, pk = "", environment, sk = ""] = match;
	return intact(pk) && intact(sk) ? { pk, sk, environment: environment as Environment } : null;
}

/** Whether a half ends in the checksum of the text before it. */
export function intact(text: string): boolean {
	const end = text.length - CHECKSUM_LENGTH;
	let sum = crc32(text.slice(0, end));
	for (let at = text.length - 1; at >= end; at--) {
		if (text.charCodeAt(at) !== ALPHABET.charCodeAt(sum % 62)) return false;
		sum = Math.floor(sum / 62);
	}
	return true;
}
