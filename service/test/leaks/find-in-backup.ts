import { createReadStream } from "node:fs";
import { JOBS_FOLDER, TABLES_FOLDER } from "../../src/upkeep/backup/manifest.ts";
import { openArchive, rowsOf } from "../../src/upkeep/backup/open-archive.ts";
import type { Finder } from "./find.ts";
import { type Leak, leak, leaksInFile } from "./find-in-files.ts";

/** Searches a backup, both its raw bytes and its unpacked rows. */
export async function leaksInBackup(finder: Finder, path: string): Promise<Leak[]> {
	const found = new Set<Leak>(leaksInFile(finder, path));
	const archive = await openArchive(createReadStream(path));
	for await (const entry of archive.entries()) {
		const parts: Buffer[] = [];
		if ("bytes" in entry) parts.push(entry.bytes);
		else for await (const part of entry.content) parts.push(part);
		const bytes = Buffer.concat(parts);
		const isPacked = entry.name.startsWith(TABLES_FOLDER) || entry.name.startsWith(JOBS_FOLDER);
		const content = isPacked ? await rowsOf(entry.name, bytes) : bytes;
		for (const what of finder.find(content)) found.add(leak(`${entry.name} of ${path}`, what));
	}
	archive.finish();
	return [...found];
}
