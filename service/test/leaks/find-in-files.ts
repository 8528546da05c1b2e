import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Finder } from "./find.ts";

/** Bytes of a file that are searched at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** A secret that was found somewhere, described in words without any part of the secret itself. */
export type Leak = string;

export const leak = (where: string, what: string): Leak => `${what} lies in ${where}`;

export const leaksInText = (finder: Finder, where: string, text: string): Leak[] =>
	[...finder.find(Buffer.from(text))].map((what) => leak(where, what));

/** Searches one file of any size. A file that has disappeared counts as empty. */
export function leaksInFile(finder: Finder, path: string, chunkBytes = CHUNK_BYTES): Leak[] {
	const overlap = finder.longest - 1;
	const found = new Set<string>();
	const file = openIfThere(path);
	if (file === null) return [];
	try {
		// most files of a database are small: a whole chunk for each would take longer than the search
		const atOnce = Math.min(chunkBytes, fstatSync(file).size + 1);
		const buffer = Buffer.allocUnsafe(atOnce + overlap);
		let kept = 0;
		for (let read = readSync(file, buffer, kept, atOnce, null); read > 0; ) {
			const end = kept + read;
			for (const what of finder.find(buffer.subarray(0, end))) found.add(what);
			kept = Math.min(overlap, end);
			buffer.copy(buffer, 0, end - kept, end);
			read = readSync(file, buffer, kept, atOnce, null);
		}
	} finally {
		closeSync(file);
	}
	return [...found].map((what) => leak(path, what));
}

function openIfThere(path: string): number | null {
	try {
		return openSync(path, "r");
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return null;
		throw error;
	}
}

/** Searches all files below a folder except those with these names. */
export function leaksInFolder(finder: Finder, folder: string, except: readonly string[] = []): Leak[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !except.includes(entry.name))
		.flatMap((entry) => leaksInFile(finder, join(entry.parentPath, entry.name)));
}
