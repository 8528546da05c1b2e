import { hash } from "node:crypto";

/** SHA-256 of a file, 64 lower-case hexadecimal digits: the only name of a file in the store. */
export type Digest = string & { readonly isDigest: never };

export const digestOf = (bytes: Uint8Array): Digest => hash("sha256", bytes, "hex") as Digest;

/** The text as a digest, or null if it is not one. */
export const asDigest = (text: string): Digest | null => (/^[0-9a-f]{64}$/.test(text) ? (text as Digest) : null);
