import { link, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { wait } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { ignoreExisting } from "./folder.ts";
import { isPostmasterOf } from "./processes.ts";

/** Lines of the file that identify one start of one server: pid, data directory, start time. */
const LINES_OF_IDENTITY = 3;
/** Milliseconds after which a file without a pid is stale: PostgreSQL writes the pid right after creating the file. */
const EMPTY_FOR_MS = 1_000;

/** A server, as its pid file describes it. */
export interface Postmaster {
	readonly pid: number;
	/** The folder of its socket as the server reports it, which may differ from the one we would choose today. */
	readonly socketDir: string;
	/** `starting`, `ready`, `standby` or `stopping`; still `ready` during recovery from the crash of a backend. */
	readonly status: string;
}

/** The running server of a data directory, or null. A pid file counts only if its process is that server. */
export async function runningPostmaster(pgData: string): Promise<Postmaster | null> {
	const found = await readPidFile(pgData);
	return found !== null && isPostmasterOf(found.pid, pgData) ? found : null;
}

/** Lines: pid, data directory, start time, port, socket directory, listen address, shared memory key, status. */
export async function readPidFile(pgData: string): Promise<Postmaster | null> {
	return parsePidFile(await readFile(fileOf(pgData), "utf8").catch(() => ""));
}

/** Removes a pid file that belongs to no running server. The caller holds the start lock. */
export async function removeStalePidFile(pgData: string, say: (line: string) => void): Promise<void> {
	const text = await readFile(fileOf(pgData), "utf8").catch(() => null);
	if (text === null) return;
	const stale = parsePidFile(text);
	if (stale === null) {
		await wait(EMPTY_FOR_MS); // pg_ctl, run by hand, may have created it just now
		if (await takeAwayPidFile(pgData, text)) say("PostgreSQL left a lock file without a process: removed it.");
		return;
	}
	if (isPostmasterOf(stale.pid, pgData) || !(await takeAwayPidFile(pgData, text))) return;
	await removeStaleSocketLocks(stale.socketDir, pgData);
	say(`PostgreSQL was not stopped properly (its process ${stale.pid} is gone): removed the old lock, recovering.`);
}

/** The lock files beside the sockets of a server that is gone: if others have its number, PostgreSQL respects them. */
async function removeStaleSocketLocks(socketDir: string, pgData: string): Promise<void> {
	const names = await readdir(socketDir).catch(() => []);
	for (const name of names.filter((one) => /^\.s\.PGSQL\.\d+\.lock$/.test(one))) {
		const [pid, dataDir] = (await readFile(join(socketDir, name), "utf8").catch(() => "")).split("\n");
		if (dataDir === pgData && !isPostmasterOf(Number(pid), pgData)) await rm(join(socketDir, name), { force: true });
	}
}

/**
 * Removes the pid file only if it is still the one that was checked: since then a server may have created its own.
 * The file is renamed before it is read, because another process may replace the file under the usual name at any
 * time, but none touches the renamed one.
 */
export async function takeAwayPidFile(pgData: string, judged: string): Promise<boolean> {
	const file = fileOf(pgData);
	const aside = `${file}.${newId()}`;
	try {
		await rename(file, aside);
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return false; // another process removed it
		throw error;
	}
	const same = identityOf(await readFile(aside, "utf8")) === identityOf(judged);
	// another server's file is put back, unless a newer one has taken its place
	if (!same) await link(aside, file).catch(ignoreExisting);
	await unlink(aside);
	return same;
}

function parsePidFile(text: string): Postmaster | null {
	const lines = text.split("\n");
	const pid = Number(lines[0]);
	if (!Number.isInteger(pid) || pid <= 0) return null;
	return { pid, socketDir: lines[4]?.trim() ?? "", status: lines[7]?.trim() ?? "starting" };
}

const fileOf = (pgData: string): string => join(pgData, "postmaster.pid");

const identityOf = (text: string): string => text.split("\n", LINES_OF_IDENTITY).join("\n");
