import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { ImportRefused } from "../../../service/src/upkeep/import/refused.ts";
import type { SentFile } from "../client/exchange.ts";

/** A file of this machine, to be sent. @throws ImportRefused if it cannot be read */
export async function readSentFile(path: string): Promise<SentFile> {
	try {
		return { name: basename(path), bytes: new Uint8Array(await readFile(path)) };
	} catch (error) {
		const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
		const message = isMissing ? "cannot be found" : `cannot be read: ${messageOf(error)}`;
		throw new ImportRefused([{ at: path, message }]);
	}
}
