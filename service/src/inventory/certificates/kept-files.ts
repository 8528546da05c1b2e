import { buffer } from "node:stream/consumers";
import { LRUCache } from "lru-cache";
import { type Digest, digestOf } from "./digest.ts";
import type { FileStore } from "./file-store.ts";

/** Maximum bytes of a file that is cached; larger ones are streamed. */
const MAX_KEPT_FILE_BYTES = 2 * 1024 * 1024;
/** Maximum bytes of all cached files together. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Caches the most requested PDFs, which never change. Access is still checked in the database every time. */
export interface KeptFiles {
	/** The whole file; null if it is too large to cache, or missing or incomplete in the store. */
	read(digest: Digest, size: number): Promise<Buffer | null>;
}

export function createKeptFiles(store: FileStore): KeptFiles {
	// an entry counts its full size from the start of its read; the least recently used is evicted first
	const kept = new LRUCache<Digest, { readonly size: number; readonly bytes: Promise<Buffer | null> }>({
		maxSize: MAX_KEPT_BYTES,
		sizeCalculation: ({ size }) => Math.max(1, size),
	});
	return {
		async read(digest, size) {
			if (size > MAX_KEPT_FILE_BYTES) return null;
			const known = kept.get(digest);
			const entry = known ?? { size, bytes: readWhole(store, digest, size) };
			if (known === undefined) kept.set(digest, entry);
			const bytes = await entry.bytes.catch((error: unknown) => {
				if (kept.peek(digest) === entry) kept.delete(digest);
				throw error;
			});
			if (bytes === null && kept.peek(digest) === entry) kept.delete(digest);
			return bytes;
		},
	};
}

async function readWhole(store: FileStore, digest: Digest, size: number): Promise<Buffer | null> {
	const content = await store.open(digest, size);
	if (content === null) return null;
	const bytes = await buffer(content);
	return digestOf(bytes) === digest ? bytes : null;
}
