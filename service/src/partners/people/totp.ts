import { createHmac } from "node:crypto";
import { fromBase32, toBase32 } from "./base32.ts";
import { drawBytes } from "./one-time.ts";

/** Time-based one-time codes (RFC 6238) in the form that every authenticator app knows: SHA-1, 30 seconds, 6 digits. */

const STEP_MS = 30_000;
const DIGITS = 6;
/** Bytes of a secret: the length of its HMAC (RFC 4226, section 4). */
const SECRET_BYTES = 20;
/** Steps before and after the current one whose codes are accepted, because clocks differ (RFC 6238, section 5.2). */
const STEPS_AROUND = 1;

/** A new secret, in base32. */
export const newTotpSecret = (): string => toBase32(drawBytes(SECRET_BYTES));

export const isTotpForm = (code: string): boolean => /^\d{6}$/.test(code);

/**
 * The step whose code this is; null: the code is not valid now, or its step is not later than `lastStep`, that of the
 * last accepted code. `nowMs`: epoch milliseconds.
 */
export function acceptedStep(secret: string, code: string, nowMs: number, lastStep: number | null): number | null {
	const now = Math.floor(nowMs / STEP_MS);
	for (let step = now - STEPS_AROUND; step <= now + STEPS_AROUND; step++) {
		if (step > (lastStep ?? -1) && totpOf(secret, step) === code) return step;
	}
	return null;
}

/** The code of one step. `digits`: the RFC's test vectors have eight. */
export function totpOf(secret: string, step: number, digits = DIGITS): string {
	const counter = Buffer.alloc(8);
	counter.writeBigUInt64BE(BigInt(step));
	const mac = createHmac("sha1", fromBase32(secret)).update(counter).digest();
	const offset = (mac.at(-1) ?? 0) & 0xf;
	const value = mac.readUInt32BE(offset) & 0x7fff_ffff;
	return String(value % 10 ** digits).padStart(digits, "0");
}

/** The address that an authenticator app reads from a QR code. */
export const otpauthUrl = (secret: string, person: string): string =>
	`otpauth://totp/Holdfast:${encodeURIComponent(person)}?secret=${secret}&issuer=Holdfast`;
