import { createCipheriv, createDecipheriv, createHmac, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import { must } from "./assert.ts";
import { type Refusal, refuse } from "./refusal.ts";

/** Bytes of the tag that authenticates a cursor, and of the number in it. */
const TAG_BYTES = 16;
const NUMBER_BYTES = 8;
const KEY_BYTES = 32;
const CIPHER = "aes-256-ctr";

/** A reader's position in a list, sealed so that it reveals nothing about other partners' rows. */
export interface Cursors {
	write(after: number, filters: string): string;
	/** The reader's position. Refuses a cursor that was not created here, or with other filters. */
	read(cursor: string, filters: string): number | Refusal<"invalid_input">;
}

/** The filters of a list as a text, to which a cursor is bound. An absent filter differs from an empty one. */
export const filtersText = (filters: readonly (string | undefined)[]): string =>
	JSON.stringify(filters.map((filter) => filter ?? null));

/**
 * Cursors under the keys of the ring: the first key seals new ones, and any key opens those that it sealed. The same
 * position in the same list has the same cursor, so an unchanged page keeps its ETag.
 */
export function createCursors(ring: readonly KeyObject[]): Cursors {
	const keys = ring.map((entry) => ({ seal: derived(entry, "seal"), authenticate: derived(entry, "authenticate") }));
	const current = must(keys[0], "the current key");
	return {
		write(after, filters) {
			const number = Buffer.alloc(NUMBER_BYTES);
			number.writeBigUInt64BE(BigInt(after));
			const tag = tagOf(current, number, filters);
			const cipher = createCipheriv(CIPHER, current.seal, tag);
			return Buffer.concat([tag, cipher.update(number), cipher.final()]).toString("base64url");
		},
		read(cursor, filters) {
			const bytes = Buffer.from(cursor, "base64url");
			const after = openedBy(keys, bytes, filters);
			return (
				after ?? refuse("invalid_input", "/cursor: expected a next_cursor of an earlier page with the same filters")
			);
		},
	};
}

interface Keys {
	readonly seal: Buffer;
	readonly authenticate: Buffer;
}

const derived = (entry: KeyObject, use: string): Buffer =>
	Buffer.from(hkdfSync("sha256", entry.export(), "", `holdfast cursors ${use}`, KEY_BYTES));

const tagOf = ({ authenticate }: Keys, number: Buffer, filters: string): Buffer =>
	createHmac("sha256", authenticate).update(number).update(filters).digest().subarray(0, TAG_BYTES);

function openedBy(keys: readonly Keys[], bytes: Buffer, filters: string): number | null {
	if (bytes.length !== TAG_BYTES + NUMBER_BYTES) return null;
	const tag = bytes.subarray(0, TAG_BYTES);
	for (const one of keys) {
		const decipher = createDecipheriv(CIPHER, one.seal, tag);
		const number = Buffer.concat([decipher.update(bytes.subarray(TAG_BYTES)), decipher.final()]);
		if (timingSafeEqual(tag, tagOf(one, number, filters))) return Number(number.readBigUInt64BE());
	}
	return null;
}
