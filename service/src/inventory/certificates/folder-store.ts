import { type FileHandle, mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newId } from "../../ground/lib/ids.ts";
import { type Digest, digestOf } from "./digest.ts";
import type { FileStore } from "./file-store.ts";

/** Bytes per read. */
const CHUNK_BYTES = 256 * 1024;
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;
/** Leading letters of the digest that name a file's folder. */
const SHARD_LETTERS = 2;

/**
 * Stores files in a folder, named by digest. A file is written under a temporary name, synced and renamed, and its
 * folder synced. So every file found under a digest is complete, and every acknowledged file is found.
 */
export function createFolderStore(folder: string): FileStore {
	const pathOf = (digest: Digest): string => join(folder, digest.slice(0, SHARD_LETTERS), `${digest}.pdf`);
	return {
		async put(bytes) {
			const digest = digestOf(bytes);
			const path = pathOf(digest);
			const shard = dirname(path);
			await makeFolder(shard);
			if (await holds(path, digest)) await sync(path);
			else await write(path, join(shard, `.${digest}.${newId()}`), bytes);
			// Even if the file existed: the process that wrote it may have died before its own sync.
			await sync(shard);
			return digest;
		},
		async open(digest, size, range) {
			const file = await open(pathOf(digest), "r").catch(missing);
			if (file === null) return null;
			if ((await sizeOf(file)) === size) {
				const part = range === undefined ? {} : { start: range.first, end: range.last };
				return file.createReadStream({ ...part, highWaterMark: CHUNK_BYTES });
			}
			await file.close();
			return null;
		},
		async remove(digest) {
			await unlink(pathOf(digest)).catch(missing);
		},
		close: () => undefined,
	};
}

async function write(path: string, temporary: string, bytes: Uint8Array): Promise<void> {
	const file = await open(temporary, "wx", FILE_MODE);
	try {
		await file.writeFile(bytes);
		await file.sync();
		await file.close();
		await rename(temporary, path);
	} catch (error) {
		await file.close().catch(() => undefined);
		await unlink(temporary).catch(() => undefined);
		throw error;
	}
}

/** Whether the file exists undamaged; a damaged one is written again. */
async function holds(path: string, digest: Digest): Promise<boolean> {
	const found = await readFile(path).catch(missing);
	return found !== null && digestOf(found) === digest;
}

async function sizeOf(file: FileHandle): Promise<number> {
	try {
		return (await file.stat()).size;
	} catch (error) {
		await file.close();
		throw error;
	}
}

/** Creates a folder and its parents, syncing each name to disk before it is used. */
async function makeFolder(folder: string): Promise<void> {
	if ((await stat(folder).catch(missing)) !== null) return;
	const parent = dirname(folder);
	if (parent !== folder) await makeFolder(parent);
	await mkdir(folder, { mode: FOLDER_MODE }).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "EEXIST") throw error; // another call created it first
	});
	await sync(parent);
}

/** Syncs a file's content, or a folder's names, to disk. */
async function sync(path: string): Promise<void> {
	const file = await open(path, "r");
	try {
		await file.sync();
	} finally {
		await file.close();
	}
}

function missing(error: NodeJS.ErrnoException): null {
	if (error.code === "ENOENT") return null;
	throw error;
}
