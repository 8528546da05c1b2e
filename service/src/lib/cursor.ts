import { createHash } from "node:crypto";
import { type Refusal, refuse } from "./refusal.ts";

/** Characters of the digest a cursor carries: it catches mistakes, it protects nothing. */
const DIGEST_CHARACTERS = 12;

/** A short name for the filters of a list, so that a cursor is not used with others. */
export const filterDigest = (filters: readonly (string | undefined)[]): string =>
	createHash("sha256")
		.update(JSON.stringify(filters.map((filter) => filter ?? null)))
		.digest("base64url")
		.slice(0, DIGEST_CHARACTERS);

/** Opaque to partners: how far a reader has come in a sequence, and the filters it read with. */
export const writeCursor = (after: number, filters: string): string =>
	Buffer.from(`${after}.${filters}`).toString("base64url");

/** How far the reader has come. Refuses a cursor that was not made here, or with other filters. */
export function readCursor(cursor: string, filters: string): number | Refusal<"invalid_input"> {
	const [, after, digest] = /^(\d{1,15})\.([\w-]+)$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
	if (after === undefined) return refuse("invalid_input", "/cursor: expected a next_cursor of an earlier page");
	if (digest !== filters) {
		return refuse("invalid_input", "/cursor: made with other filters; use it with the same ones, or start without it");
	}
	return Number(after);
}
