/** Shared memory outlives a killed server; the server's next start would give it back, and a server that never starts again leaves it to us. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Line of postmaster.pid, from 0, that holds key and id of the System V segment. */
const SEGMENT_LINE = 6;

interface SharedMemory {
	/** Files in /dev/shm. */
	readonly files: readonly string[];
	/** Id of the System V segment; null: there is none. */
	readonly segment: string | null;
}

/** What the server with this postmaster has taken, read while it runs. */
export function sharedMemoryOf(postmaster: number, data: string): SharedMemory {
	const maps = read(`/proc/${postmaster}/maps`);
	const files = new Set(maps.match(/\/dev\/shm\/PostgreSQL\.\d+/g));
	const segment = read(join(data, "postmaster.pid")).split("\n")[SEGMENT_LINE]?.trim().split(/\s+/)[1];
	return { files: [...files], segment: segment ?? null };
}

/** Every process of the server must be gone. */
export async function giveBack({ files, segment }: SharedMemory): Promise<void> {
	for (const file of files) await rm(file, { force: true });
	// gone already: then there is nothing to do
	if (segment !== null) await run("ipcrm", ["--shmem-id", segment]).catch(() => undefined);
}

function read(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return "";
	}
}
