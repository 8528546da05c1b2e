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
	/** Bytes of the whole file. */
	readonly size: number;
	/** Null: the whole file. */
	readonly range: ByteRange | null;
	readonly content: Readable | Buffer;
}

/** A certificate's PDF or part of it. Refuses `gone` if the certificate was retired or has another PDF now. */
export async function openFile(
	{ readDb, keylessReads, files, keptFiles }: OpenDeps,
	asked: {
		readonly certificateId: string;
		readonly digest: string;
		readonly range: string | undefined;
		/** The address for fair queueing. */
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
	if (!found.isLast) return refuse("gone", "This certificate was replaced: look up the lot for the current one.");
	const range = rangeOf(asked.range, found.size);
	const whole = await keptFiles.read(digest, found.size);
	const part = range === null ? whole : (whole?.subarray(range.first, range.last + 1) ?? null);
	const content = part ?? (await files.open(digest, found.size, range ?? undefined));
	assert(content !== null, `the file ${digest} of a certificate is not in the file store: run holdfast verify`);
	return { digest, size: found.size, range, content };
}

export const WITHDRAWN = refuse("gone", "This certificate was withdrawn.");
export const NO_CERTIFICATE = refuse("not_found", "There is no certificate here.");

/** The single part that a `Range` header requests; null: serve the whole file (RFC 9110, section 14.2). */
function rangeOf(header: string | undefined, size: number): ByteRange | null {
	const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
	if (from === undefined || to === undefined || (from === "" && to === "")) return null;
	const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
	const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
	return first <= last ? { first, last } : null;
}
