import { type FileHandle, mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newId } from "../../ground/lib/ids.ts";
import { type Digest, digestOf } from "./digest.ts";
import type { FileStore } from "./file-store.ts";

/** Bytes read at a time. */
const CHUNK_BYTES = 256 * 1024;
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;
/** Letters of a digest that name the folder a file is in. */
const SHARD_LETTERS = 2;

/**
 * Files in a folder, by their digests alone. A file is written under another name, synced, renamed, and its folder
 * synced: so whatever is found under a digest is whole, and what was acknowledged is found.
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
			// also when the file was there: whoever wrote it may have ended before this
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

/** Is the file there, whole? A damaged one is written again. */
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

/** Makes a folder and those above it, each on disk with its name before it is used. */
async function makeFolder(folder: string): Promise<void> {
	if ((await stat(folder).catch(missing)) !== null) return;
	const parent = dirname(folder);
	if (parent !== folder) await makeFolder(parent);
	await mkdir(folder, { mode: FOLDER_MODE }).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "EEXIST") throw error; // another was faster
	});
	await sync(parent);
}

/** What was written to a file, or the names in a folder, are on disk. */
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
