import type { Readable } from "node:stream";
import type { CoaStore } from "../../ground/lib/coa-settings.ts";
import type { Digest } from "./digest.ts";
import { createFolderStore } from "./folder-store.ts";
import { createS3Store } from "./s3-store.ts";

/** The first and the last byte of part of a file, inclusive, counted from 0. */
export interface ByteRange {
	readonly first: number;
	readonly last: number;
}

/** Stores the PDFs of certificates, each under the digest of its bytes. Stored files never change. */
export interface FileStore {
	/** Stores bytes, safely on disk when it returns. Storing the same bytes again is harmless. */
	put(bytes: Uint8Array): Promise<Digest>;
	/** A stream that must be read or destroyed; null if the file is missing or its size in bytes differs. */
	open(digest: Digest, size: number, range?: ByteRange): Promise<Readable | null>;
	/** Removes a file that nothing refers to; it may be gone already. */
	remove(digest: Digest): Promise<void>;
	close(): void;
}

export const openFileStore = (store: CoaStore): FileStore =>
	store.kind === "folder" ? createFolderStore(store.path) : createS3Store(store);
