import type { Readable } from "node:stream";
import type { CoaStore } from "../../ground/lib/coa-settings.ts";
import type { Digest } from "./digest.ts";
import { createFolderStore } from "./folder-store.ts";
import { createS3Store } from "./s3-store.ts";

/** The first and the last byte of a part of a file, both included, counted from 0. */
export interface ByteRange {
	readonly first: number;
	readonly last: number;
}

/** The PDFs of certificates, each by the digest of its bytes. What is in it never changes. */
export interface FileStore {
	/**
	 * Keeps these bytes: they are on disk, and found again after a power cut, when it answers. The same bytes again do
	 * no harm.
	 */
	put(bytes: Uint8Array): Promise<Digest>;
	/** A file, or a part of it, to be read or destroyed; null: it is not there, or it is not of this size in bytes. */
	open(digest: Digest, size: number, range?: ByteRange): Promise<Readable | null>;
	/** Removes a file that nothing names. It may be gone already. */
	remove(digest: Digest): Promise<void>;
	/** Lets go of connections. */
	close(): void;
}

export const openFileStore = (store: CoaStore): FileStore =>
	store.kind === "folder" ? createFolderStore(store.path) : createS3Store(store);
