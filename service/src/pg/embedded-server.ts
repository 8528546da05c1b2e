import { spawn } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { monotonicMs, wait } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { Cluster } from "./embedded-cluster.ts";
import { signal } from "./signal.ts";

/** Milliseconds between two looks at the pid file. */
const LOOK_EVERY_MS = 5;
/** Milliseconds between two attempts while something else must end first. */
const RETRY_EVERY_MS = 200;
/** After so many milliseconds of waiting the person at the terminal is told why. */
const TELL_AFTER_MS = 3_000;
/** Milliseconds that backends of a killed server get to let go of its shared memory. */
const LEFTOVERS_TIMEOUT_MS = 30_000;
/** Milliseconds a fast shutdown (it writes a checkpoint) may take before we stop waiting for it. */
const STOP_TIMEOUT_MS = 60_000;
/** A log above this many bytes is set aside when the server starts. */
const MAX_LOG_BYTES = 20 * 1024 * 1024;
/** Lines of the log shown when the server does not start. */
const LOG_LINES_SHOWN = 8;

/** What nobody may weaken: a commit is on disk before it is acknowledged, and the server is reachable through its socket only. */
const FIXED_SETTINGS: Record<string, string> = {
	fsync: "on",
	synchronous_commit: "on",
	full_page_writes: "on",
	listen_addresses: "",
	unix_socket_permissions: "0700",
	logging_collector: "off",
	log_destination: "stderr",
};

export interface Postmaster {
	readonly pid: number;
	/** Where its socket is: what it says itself, which may differ from where we would put it today. */
	readonly socketDir: string;
	readonly status: string;
}

/** The running server of a data directory, or null. A pid file whose process is not that server does not count. */
export async function runningPostmaster(pgData: string): Promise<Postmaster | null> {
	const found = await readPidFile(pgData);
	return found !== null && isPostmasterOf(found.pid, pgData) ? found : null;
}

/** Starts the server unless it runs, and waits until it takes connections. `extra` settings win over all others. */
export async function ensurePostmaster(
	cluster: Cluster,
	say: (line: string) => void,
	extra: Record<string, string> = {},
): Promise<Postmaster> {
	const giveUpAt = monotonicMs() + LEFTOVERS_TIMEOUT_MS;
	let told = false;
	while (true) {
		const running = await runningPostmaster(cluster.pgData);
		if (running !== null) {
			const ready = await untilReady(cluster, running.pid, say);
			if (ready !== null) return ready;
			continue; // it was on its way out, or failed to start: look again
		}
		await removeStalePidFile(cluster.pgData, say);
		const failure = await startOnce(cluster, say, extra);
		if (typeof failure !== "string") return failure;
		const leftovers = /pre-existing shared memory block/.test(failure);
		if (!leftovers && !/lock file ".*" already exists/.test(failure))
			throw new OperatorError(startFailed(cluster, failure));
		if (monotonicMs() > giveUpAt) throw new OperatorError(startFailed(cluster, failure));
		if (leftovers && !told) say("A killed PostgreSQL left processes behind: waiting for them to end.");
		told ||= leftovers;
		await wait(RETRY_EVERY_MS);
	}
}

/** Asks the server to stop (running transactions are rolled back) and waits until it has. False: it is still at it. */
export async function stopPostmaster(pgData: string, pid: number): Promise<boolean> {
	signal(pid, "SIGINT");
	const giveUpAt = monotonicMs() + STOP_TIMEOUT_MS;
	while (isPostmasterOf(pid, pgData)) {
		if (monotonicMs() > giveUpAt) return false;
		await wait(LOOK_EVERY_MS);
	}
	return true;
}

/** Spawns one server and waits for it: the running server, or what it logged before it gave up. */
async function startOnce(
	cluster: Cluster,
	say: (line: string) => void,
	extra: Record<string, string>,
): Promise<Postmaster | string> {
	await setLogAside(cluster.logFile);
	const log = await open(cluster.logFile, "a", 0o600);
	try {
		// whoever runs the server next, root or not, must be able to go on writing
		if (cluster.account !== null) await log.chown(cluster.account.uid, cluster.account.gid);
		const from = (await log.stat()).size;
		const settings = { ...FIXED_SETTINGS, unix_socket_directories: quoteDirectory(cluster.socketDir), ...extra };
		const child = spawn(
			cluster.binaries.postgres,
			["-D", cluster.pgData, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
			{
				// its own session: a Ctrl-C at our terminal is ours to pass on, in order
				detached: true,
				stdio: ["ignore", log.fd, log.fd],
				cwd: "/",
				env: { LC_ALL: "C", TZ: "UTC" },
				...cluster.account,
			},
		);
		const gone = new Promise<string>((resolve) => {
			child.once("error", (error) => resolve(error.message));
			child.once("exit", () => resolve("exit"));
		});
		child.unref();
		if (child.pid === undefined) return await gone;
		const ready = await untilReady(cluster, child.pid, say, gone);
		if (ready !== null) return ready;
		return (await readFile(cluster.logFile, "utf8")).slice(from) || "it ended without a word";
	} finally {
		await log.close();
	}
}

/** Waits until the server `pid` says it is ready; null when it ended instead. Recovery after a crash may take its time. */
async function untilReady(
	cluster: Cluster,
	pid: number,
	say: (line: string) => void,
	gone?: Promise<unknown>,
): Promise<Postmaster | null> {
	let ended = false;
	void gone?.then(() => {
		ended = true;
	});
	let tellAt = monotonicMs() + TELL_AFTER_MS;
	while (true) {
		const found = await readPidFile(cluster.pgData);
		if (found?.pid === pid && found.status === "ready") return found;
		if (ended || (gone === undefined && !isPostmasterOf(pid, cluster.pgData))) return null;
		if (monotonicMs() > tellAt) {
			tellAt += TELL_AFTER_MS;
			say(`Waiting for PostgreSQL (${found?.status ?? "starting"}); its log is ${cluster.logFile}.`);
		}
		await wait(LOOK_EVERY_MS);
	}
}

async function removeStalePidFile(pgData: string, say: (line: string) => void): Promise<void> {
	const stale = await readPidFile(pgData);
	if (stale === null || isPostmasterOf(stale.pid, pgData)) return;
	say(`PostgreSQL was not stopped properly (its process ${stale.pid} is gone): removing the old lock and recovering.`);
	await rm(join(pgData, "postmaster.pid"), { force: true });
}

/** Lines: pid, data directory, start time, port, socket directory, listen address, shared memory key, status. */
async function readPidFile(pgData: string): Promise<Postmaster | null> {
	const text = await readFile(join(pgData, "postmaster.pid"), "utf8").catch(() => "");
	const lines = text.split("\n");
	const pid = Number(lines[0]);
	if (!Number.isInteger(pid) || pid <= 0) return null;
	return { pid, socketDir: lines[4]?.trim() ?? "", status: lines[7]?.trim() ?? "starting" };
}

/** Is the process `pid` alive and a PostgreSQL of this data directory? Numbers are given again: being alive is not enough. */
function isPostmasterOf(pid: number, pgData: string): boolean {
	if (!signal(pid, 0)) return false;
	if (process.platform !== "linux") return true;
	try {
		return readlinkSync(`/proc/${pid}/cwd`) === pgData;
	} catch (error) {
		if ((error as { code?: string }).code !== "EACCES") return false; // gone, or ended and not yet reaped
		return commandLineNames(pid, pgData); // another account's process shows its command line only
	}
}

function commandLineNames(pid: number, pgData: string): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(pgData);
	} catch {
		return false;
	}
}

async function setLogAside(logFile: string): Promise<void> {
	const size = await stat(logFile).then(
		(found) => found.size,
		() => 0,
	);
	if (size > MAX_LOG_BYTES) await rename(logFile, `${logFile}.old`);
}

/** The setting is a list: a directory with a comma or a space is written in double quotes. */
const quoteDirectory = (directory: string): string => `"${directory.replaceAll('"', '""')}"`;

function startFailed(cluster: Cluster, failure: string): string {
	const lines = failure.trim().split("\n").slice(-LOG_LINES_SHOWN).join("\n  ");
	return `The embedded PostgreSQL in ${cluster.pgData} did not start:\n  ${lines}\nIts log is ${cluster.logFile}.`;
}
