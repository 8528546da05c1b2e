import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The line of postmaster.pid (from 0) with key and id of the System V segment. */
const SEGMENT_LINE = 6;

/**
 * Id of the System V segment of this data folder's server; null if it has none. The segment outlives a killed server:
 * the server's next start removes it, and if there is none, we must.
 */
export async function segmentOf(data: string): Promise<string | null> {
	const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
	return text.split("\n")[SEGMENT_LINE]?.trim().split(/\s+/)[1] ?? null;
}

/** All processes of the server must have ended. */
export async function giveBack(segment: string | null): Promise<void> {
	// already removed: nothing to do
	if (segment !== null) await run("ipcrm", ["--shmem-id", segment]).catch(() => undefined);
}
