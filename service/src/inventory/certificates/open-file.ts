import type { Readable } from "node:stream";
import { assert } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import { asDigest, type Digest } from "./digest.ts";
import type { ByteRange, FileStore } from "./file-store.ts";
import type { KeptFiles } from "./kept-files.ts";
import { selectFile } from "./sql.ts";

interface OpenDeps {
	readonly readDb: Database;
	readonly keylessReads: Turns;
	readonly files: FileStore;
	readonly keptFiles: KeptFiles;
}

export interface OpenedFile {
	readonly digest: Digest;
	/** Bytes, of the whole. */
	readonly size: number;
	/** Null: the whole. */
	readonly range: ByteRange | null;
	/** Of the part, or of the whole. */
	readonly content: Readable | Buffer;
}

/**
 * The PDF of a certificate, or the part of it that is asked for. One that was retired, or got another PDF, has this one
 * no more.
 */
export async function openFile(
	{ readDb, keylessReads, files, keptFiles }: OpenDeps,
	asked: {
		readonly certificateId: string;
		readonly digest: string;
		readonly range: string | undefined;
		/** Whose turn it is. */
		readonly from: string;
	},
): Promise<OpenedFile | Refusal<"not_found" | "gone" | "rate_limited">> {
	const digest = asDigest(asked.digest);
	if (digest === null) return NO_CERTIFICATE;
	const found = await keylessReads.take(asked.from, () =>
		patiently(() => selectFile(readDb, asked.certificateId, digest)),
	);
	if (isRefusal(found)) return found;
	if (found === null || found.status === "draft") return NO_CERTIFICATE;
	if (found.status === "retired") return WITHDRAWN;
	if (!found.isLast)
		return refuse("gone", "This certificate was replaced: look the lot up for the one that holds now.");
	const range = rangeOf(asked.range, found.size);
	const whole = await keptFiles.read(digest, found.size);
	const part = range === null ? whole : (whole?.subarray(range.first, range.last + 1) ?? null);
	const content = part ?? (await files.open(digest, found.size, range ?? undefined));
	assert(content !== null, `the file ${digest} of a certificate is not in the store: see holdfast verify`);
	return { digest, size: found.size, range, content };
}

export const WITHDRAWN = refuse("gone", "This certificate was withdrawn.");
export const NO_CERTIFICATE = refuse("not_found", "There is no certificate here.");

/**
 * The one part that a header `Range` asks for; null: the whole, also when it asks for what nobody must give (RFC 9110,
 * section 14.2).
 */
function rangeOf(header: string | undefined, size: number): ByteRange | null {
	const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
	if (from === undefined || to === undefined || (from === "" && to === "")) return null;
	const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
	const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
	return first <= last ? { first, last } : null;
}
