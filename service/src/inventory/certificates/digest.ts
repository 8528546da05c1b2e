import { hash } from "node:crypto";

/** SHA-256 of a file, 64 hexadecimal digits in lower case: the only thing that a file of the store is ever named by. */
export type Digest = string & { readonly isDigest: never };

export const digestOf = (bytes: Uint8Array): Digest => hash("sha256", bytes, "hex") as Digest;

/** The digest that a text is; null: it is none. */
export const asDigest = (text: string): Digest | null => (/^[0-9a-f]{64}$/.test(text) ? (text as Digest) : null);
