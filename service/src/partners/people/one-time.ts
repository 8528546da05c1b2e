import { hash, randomBytes } from "node:crypto";
import { toBase32 } from "./base32.ts";
import { RECOVERY_CODES } from "./limits.ts";

/** Random bytes of a cookie and of a set-up link: 256 bits. */
const TOKEN_BYTES = 32;
/** Random bytes of a recovery code: 80 bits, so that its digest needs no slow hash. */
const RECOVERY_BYTES = 10;

/** Random bytes for a secret of a person. */
export const drawBytes = (count: number): Buffer => randomBytes(count);

/** A new secret for a cookie or a link. */
export const newSecret = (): string => drawBytes(TOKEN_BYTES).toString("base64url");

/** The stored form of a secret with at least 80 random bits. */
export const digestOfSecret = (secret: string): Buffer => hash("sha256", secret, "buffer");

/** New recovery codes, `ABCD-EFGH-IJKL-MNOP`. */
export const newRecoveryCodes = (): string[] =>
	Array.from({ length: RECOVERY_CODES }, () => inFours(toBase32(drawBytes(RECOVERY_BYTES))));

/** The code as it was shown, if it was typed in lower case or without its hyphens. */
export const plainRecoveryCode = (typed: string): string => inFours(typed.toUpperCase().replace(/[^A-Z2-7]/g, ""));

const inFours = (text: string): string => (text.match(/.{1,4}/g) ?? []).join("-");
