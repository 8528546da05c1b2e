import type { Readable } from "node:stream";
import { assert } from "../../ground/lib/assert.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { asDigest, type Digest, digestOf } from "./digest.ts";
import type { FileStore } from "./file-store.ts";
import { MAX_PDF_BYTES } from "./limits.ts";
import { selectFiles, selectKeptFiles } from "./sql.ts";

export interface StoredFile {
	readonly digest: Digest;
	/** Bytes. */
	readonly size: number;
	/** Null: it is missing or incomplete in the store. */
	open(): Promise<Readable | null>;
}

/** Files that certificates have or once had, by digest. `snapshot`: a transaction, so that they match its tables. */
export async function storedFilesOf(snapshot: Query, files: FileStore): Promise<StoredFile[]> {
	const rows = await selectFiles(snapshot);
	return rows.map(({ digest, size }) => ({ digest, size, open: () => files.open(digest, size) }));
}

/** Restores a file; returns whether it was missing. Throws if the bytes do not match the digest. */
export async function restoreStoredFile(files: FileStore, digest: string, bytes: Uint8Array): Promise<boolean> {
	const expected = asDigest(digest);
	assert(expected !== null && digestOf(bytes) === expected, `a file of the backup does not match its digest ${digest}`);
	const there = await files.open(expected, bytes.length);
	there?.destroy();
	await files.put(bytes);
	return there === null;
}

/** A certificate with a file that is wrong or missing. */
export interface FileDifference {
	readonly subject: string;
	readonly expected: string;
	readonly found: string;
}

/**
 * Compares the digests of the files that certificates have or once had; with `above`, only those of shown certificates
 * that changed after that number of their list. `onFile` is called after each file, with their total.
 */
export async function differencesOfStoredFiles(
	db: Database,
	files: FileStore,
	{ above = 0, onFile = () => undefined }: { readonly above?: number; readonly onFile?: (of: number) => void } = {},
): Promise<FileDifference[]> {
	const kept = await selectKeptFiles(db, above);
	const differences: FileDifference[] = [];
	for (const { what, digest, size } of kept) {
		const found = await digestIn(files, digest, size);
		if (found !== digest)
			differences.push({
				subject: `certificate ${what}`,
				expected: `a file of ${size} bytes, ${digest}`,
				found: found ?? "no file of that size",
			});
		onFile(kept.length);
	}
	return differences;
}

async function digestIn(files: FileStore, digest: Digest, size: number): Promise<string | null> {
	const content = await files.open(digest, size);
	if (content === null) return null;
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of content as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > MAX_PDF_BYTES) break; // larger than any valid file
		chunks.push(chunk);
	}
	return digestOf(Buffer.concat(chunks));
}
