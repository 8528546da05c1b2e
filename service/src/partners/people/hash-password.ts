import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { drawBytes } from "./one-time.ts";

/** A password as it is stored: everything that is needed to check it, so that later passwords can cost more. */
export interface StoredPassword {
	readonly algorithm: "argon2id";
	/** KiB. */
	readonly memory: number;
	readonly passes: number;
	readonly parallelism: number;
	/** Base64. */
	readonly salt: string;
	readonly hash: string;
}

/** The cost of new passwords (OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane). */
const COST = { algorithm: "argon2id", memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const derive = promisify(argon2);

/**
 * The stored form of a password. It is normalised, because keyboards differ in how they compose a letter (NIST SP
 * 800-63B).
 */
export async function storePassword(password: string): Promise<StoredPassword> {
	const salt = drawBytes(SALT_BYTES);
	const hash = await hashPassword(password, { ...COST, salt: salt.toString("base64") });
	return { ...COST, salt: salt.toString("base64"), hash: hash.toString("base64") };
}

/** No password has this form; checking one against it takes the time that a real check takes. */
const NOBODY: StoredPassword = { ...COST, salt: Buffer.alloc(SALT_BYTES).toString("base64"), hash: "" };

/** Whether it is the stored password. `stored` null (an unknown person, or no password): never, in the same time. */
export async function isPassword(password: string, stored: StoredPassword | null): Promise<boolean> {
	const hash = await hashPassword(password, stored ?? NOBODY);
	const expected = Buffer.from((stored ?? NOBODY).hash, "base64");
	return expected.length === hash.length && timingSafeEqual(hash, expected);
}

/** The hash of a password with these parameters. */
export async function hashPassword(
	password: string,
	{ algorithm, memory, passes, parallelism, salt }: Omit<StoredPassword, "hash">,
): Promise<Buffer> {
	const message = Buffer.from(password.normalize("NFKC"));
	const nonce = Buffer.from(salt, "base64");
	return Buffer.from(await derive(algorithm, { message, nonce, memory, passes, parallelism, tagLength: HASH_BYTES }));
}
