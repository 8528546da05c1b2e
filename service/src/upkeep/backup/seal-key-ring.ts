import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { OperatorError } from "../../ground/lib/operator-error.ts";

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** Minimum characters of a passphrase: with a copy of the file, an attacker can guess offline without limit. */
export const MIN_PASSPHRASE_LENGTH = 12;
/** The cost of one guess: 128 MiB of memory and some tenths of a second. */
const COST = { N: 131_072, r: 8, p: 1 } as const;
/** Bytes that scrypt may use: a little more than 128 * N * r. */
const MAX_MEMORY = 160 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const CIPHER = "aes-256-gcm";
/** Authenticated with the encrypted key ring, so that no other ciphertext can take its place. */
const PURPOSE = Buffer.from("holdfast key ring, backup format 1");

/** The key ring in an archive: its text, encrypted under a key derived from a passphrase. Binary fields are base64. */
export interface SealedKeyRing {
	readonly kdf: "scrypt";
	readonly cost: typeof COST;
	readonly salt: string;
	readonly cipher: typeof CIPHER;
	readonly nonce: string;
	readonly tag: string;
	readonly sealed: string;
}

/** Encrypts the text of a key ring under a passphrase. @throws OperatorError when the passphrase is too short. */
export async function sealKeyRing(text: string, passphrase: string): Promise<SealedKeyRing> {
	checkPassphrase(passphrase);
	const salt = randomBytes(SALT_BYTES);
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, await keyOf(passphrase, salt), nonce);
	cipher.setAAD(PURPOSE);
	const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
	return {
		kdf: "scrypt",
		cost: COST,
		salt: salt.toString("base64"),
		cipher: CIPHER,
		nonce: nonce.toString("base64"),
		tag: cipher.getAuthTag().toString("base64"),
		sealed: sealed.toString("base64"),
	};
}

/** Decrypts the text of the key ring. @throws OperatorError when the passphrase is wrong or the entry was changed. */
export async function openKeyRing(entry: string, passphrase: string): Promise<string> {
	try {
		const { salt, nonce, tag, sealed } = JSON.parse(entry) as SealedKeyRing;
		const bytes = (text: string): Buffer => Buffer.from(text, "base64");
		const decipher = createDecipheriv(CIPHER, await keyOf(passphrase, bytes(salt)), bytes(nonce));
		decipher.setAAD(PURPOSE);
		decipher.setAuthTag(bytes(tag));
		return Buffer.concat([decipher.update(bytes(sealed)), decipher.final()]).toString("utf8");
	} catch (cause) {
		throw new OperatorError(
			"The key ring of the backup cannot be opened: the passphrase is wrong, or the archive is damaged. Nothing was changed.",
			{ cause },
		);
	}
}

/** @throws OperatorError when the passphrase is too short. */
export function checkPassphrase(passphrase: string): void {
	if (passphrase.length < MIN_PASSPHRASE_LENGTH)
		throw new OperatorError(`The passphrase must have at least ${MIN_PASSPHRASE_LENGTH} characters.`);
}

/** The key that is derived from a passphrase and a salt. */
export const keyOf = (passphrase: string, salt: Buffer): Promise<Buffer> =>
	derive(passphrase.normalize("NFC"), salt, KEY_BYTES, { ...COST, maxmem: MAX_MEMORY });
