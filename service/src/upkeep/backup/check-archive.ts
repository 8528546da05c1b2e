import type { Readable } from "node:stream";
import type { BackupFacts } from "./manifest.ts";
import { openArchive } from "./open-archive.ts";

/**
 * Reads an archive to its end and checks every entry against the manifest. @throws OperatorError naming what is damaged
 */
export async function checkArchive(source: Readable, onBytes: (more: number) => void): Promise<BackupFacts> {
	const archive = await openArchive(source);
	try {
		for await (const entry of archive.entries()) {
			if ("content" in entry) {
				for await (const bytes of entry.content) onBytes(bytes.length);
			} else onBytes(entry.bytes.length);
		}
		archive.finish();
		return archive.facts;
	} finally {
		archive.close();
	}
}
