import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Line of postmaster.pid, from 0, that holds key and id of the System V segment. */
const SEGMENT_LINE = 6;

/**
 * Id of the System V segment that the server of this data folder has taken; null: it has none. It outlives a killed
 * server: the server's next start would give it back, and a server that never starts again leaves it to us.
 */
export async function segmentOf(data: string): Promise<string | null> {
	const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
	return text.split("\n")[SEGMENT_LINE]?.trim().split(/\s+/)[1] ?? null;
}

/** Every process of the server must be gone. */
export async function giveBack(segment: string | null): Promise<void> {
	// gone already: then there is nothing to do
	if (segment !== null) await run("ipcrm", ["--shmem-id", segment]).catch(() => undefined);
}
