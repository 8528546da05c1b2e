import { type ChildProcess, spawn } from "node:child_process";
import { type FileHandle, open, readFile, rename, stat } from "node:fs/promises";
import { monotonicMs, wait } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { signal } from "../pg/signal.ts";
import type { Cluster } from "./cluster.ts";
import { endOrphans, within } from "./end.ts";
import type { Patience, Waited } from "./patience.ts";
import { type Postmaster, readPidFile, removeStalePidFile, runningPostmaster } from "./pid-file.ts";
import { backendsOf, childrenOf, isPostmasterOf } from "./processes.ts";
import { tryStartLock } from "./start-lock.ts";

/** Milliseconds between two checks whether a stopping server has ended. */
const POLL_EVERY_MS = 5;
/** Milliseconds between two attempts while other processes must end first. */
const RETRY_EVERY_MS = 200;
/** Milliseconds that the processes of a killed server may take to release its shared memory before they are ended. */
const LEFTOVERS_GRACE_MS = 10_000;
/**
 * Milliseconds for which a start is retried if other processes make it fail: leftovers of a killed server, another
 * start or stop, a lock file.
 */
const START_TIMEOUT_MS = 60_000;
/** Milliseconds to wait for a fast shutdown, which writes a checkpoint. */
const STOP_TIMEOUT_MS = 60_000;
/** Milliseconds that a server we just started and no longer need may take to stop. */
const CALL_OFF_MS = 5_000;
/** Log lines of a start that failed because of another start, or of a stop requested while the server came up. */
const OTHERS_AT_WORK = /lock file ".*" already exists|received (smart|fast|immediate) shutdown request/;
/** The failure of a start that waited for that of another process. */
const OTHER_STARTER = "another process began to start it and did not finish";
/** A log above this many bytes is renamed when the server starts. */
const MAX_LOG_BYTES = 20 * 1024 * 1024;
/** Lines of the log shown if the server does not start. */
const LOG_LINES_SHOWN = 8;

/** Settings that cannot be weakened: commits are on disk before they are acknowledged; access only by socket. */
const FIXED_SETTINGS: Record<string, string> = {
	fsync: "on",
	synchronous_commit: "on",
	full_page_writes: "on",
	listen_addresses: "",
	unix_socket_permissions: "0700",
	logging_collector: "off",
	log_destination: "stderr",
};

/**
 * Settings of the GNU C library, in bytes: how much freed memory each server process keeps, and the size from which a
 * freed block always goes back to the kernel. With the library's lower defaults, a process returns the memory of each
 * statement to the kernel and requests it again for the next (docs/decisions/0063).
 */
const KEPT_MEMORY = {
	MALLOC_TRIM_THRESHOLD_: String(4 * 1024 * 1024),
	MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
};

export interface StartOptions {
	/** Prints one line for the user at the terminal. */
	readonly say: (line: string) => void;
	readonly patience: Patience;
	/** Settings that override all others. */
	readonly settings?: Record<string, string> | undefined;
	/** Called zero or more times during the wait for the server, to start expensive work meanwhile. */
	readonly onWaiting?: (() => void) | undefined;
}

/** The running server, and whether this call started it. */
export interface Running {
	readonly postmaster: Postmaster;
	readonly startedHere: boolean;
}

/** Starts the server unless it is running, and waits until it reports ready. */
export async function ensurePostmaster(cluster: Cluster, options: StartOptions): Promise<Running> {
	const { patience, say, onWaiting } = options;
	const startAgain = failedStarts(cluster, say);
	while (true) {
		patience.check();
		const running = await runningPostmaster(cluster.pgData);
		if (running !== null) {
			onWaiting?.();
			const ready = await untilReady(cluster, running, patience);
			if (ready !== null) return { postmaster: ready, startedHere: false };
			continue; // it was stopping, failed to start, or was ended: check again
		}
		const lock = await tryStartLock(cluster);
		if (lock === null) {
			await startAgain(OTHER_STARTER);
			continue;
		}
		try {
			if ((await runningPostmaster(cluster.pgData)) !== null) continue; // started between our check and our lock
			await removeStalePidFile(cluster.pgData, say);
			const outcome = await startOnce(cluster, options);
			if (typeof outcome !== "string") return { postmaster: outcome, startedHere: true };
			await startAgain(outcome);
		} finally {
			await lock.release();
		}
	}
}

/**
 * Asks the server to stop (running transactions are rolled back) and waits for it. False: it has not stopped yet. A
 * server that another process is starting is left alone, because that process is about to use it.
 */
export async function stopPostmaster(cluster: Cluster, pid: number): Promise<boolean> {
	const { pgData } = cluster;
	const lock = await tryStartLock(cluster);
	if (lock === null) return true;
	try {
		if (isPostmasterOf(pid, pgData)) signal(pid, "SIGINT");
	} finally {
		await lock.release();
	}
	return await within(STOP_TIMEOUT_MS, () => !isPostmasterOf(pid, pgData), POLL_EVERY_MS);
}

/** Stops a server without connections. */
export async function stopIfUnused(cluster: Cluster, pid: number): Promise<void> {
	const children = childrenOf(pid);
	if (children !== null && backendsOf(children).length === 0) await stopPostmaster(cluster, pid);
}

/** Decides whether to try again after a failed start: if so, pauses; otherwise throws OperatorError. */
function failedStarts(cluster: Cluster, say: (line: string) => void): (failure: string) => Promise<void> {
	const beganAt = monotonicMs();
	let leftoversSince = Number.NaN;
	return async (failure) => {
		const now = monotonicMs();
		const leftovers = /pre-existing shared memory block/.test(failure);
		const others = leftovers || failure === OTHER_STARTER || OTHERS_AT_WORK.test(failure);
		if (!others || now - beganAt > START_TIMEOUT_MS) throw new OperatorError(startFailed(cluster, failure));
		if (leftovers && Number.isNaN(leftoversSince)) {
			say("A killed PostgreSQL left processes behind: waiting for them to end.");
			leftoversSince = now;
		}
		if (leftovers && now - leftoversSince > LEFTOVERS_GRACE_MS) {
			say("The processes that a killed PostgreSQL left behind do not end: ending them.");
			await endOrphans(cluster.pgData);
		}
		await wait(RETRY_EVERY_MS);
	};
}

/** Spawns one server and waits for it. Returns the running server, or its log output if it ended. */
async function startOnce(
	cluster: Cluster,
	{ patience, settings, onWaiting }: StartOptions,
): Promise<Postmaster | string> {
	await setLogAside(cluster.logFile);
	const log = await open(cluster.logFile, "a", 0o600);
	try {
		// whoever runs the server next, root or not, must be able to append
		if (cluster.account !== null) await log.chown(cluster.account.uid, cluster.account.gid);
		const from = (await log.stat()).size;
		const child = spawnServer(cluster, log, settings);
		let ended: string | null = null;
		const gone = new Promise<void>((resolve) => {
			const end = (why: string): void => {
				ended ??= why;
				resolve();
			};
			child.once("error", (error) => end(error.message));
			child.once("exit", () => end("it ended without a message"));
		});
		child.unref();
		onWaiting?.();
		const { pid } = child;
		if (pid === undefined) {
			await gone;
			return ended ?? "";
		}
		try {
			const ready = await untilReady(cluster, { pid, status: null }, patience, () => ended !== null);
			if (ready !== null) return ready;
		} catch (error) {
			// cancelled; a process that still needs the server starts it again
			child.kill("SIGINT");
			await Promise.race([gone, wait(CALL_OFF_MS)]);
			throw error;
		}
		return (await readFile(cluster.logFile, "utf8")).slice(from) || ended || "it ended without a message";
	} finally {
		await log.close();
	}
}

function spawnServer(cluster: Cluster, log: FileHandle, extra: Record<string, string> = {}): ChildProcess {
	const settings = { ...FIXED_SETTINGS, unix_socket_directories: quoteDirectory(cluster.socketDir), ...extra };
	return spawn(
		cluster.binaries.postgres,
		["-D", cluster.pgData, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
		{
			// a separate session: Ctrl-C at our terminal reaches only this process, which stops the server in order
			detached: true,
			stdio: ["ignore", log.fd, log.fd],
			cwd: "/",
			env: { LC_ALL: "C", TZ: "UTC", ...KEPT_MEMORY },
			...cluster.account,
		},
	);
}

/** Waits until the server reports ready; null if it ended instead. Recovery after a crash may take long. */
async function untilReady(
	cluster: Cluster,
	server: Waited,
	patience: Patience,
	gone: () => boolean = () => !isPostmasterOf(server.pid, cluster.pgData),
): Promise<Postmaster | null> {
	while (true) {
		const found = await readPidFile(cluster.pgData);
		const same = found?.pid === server.pid;
		if (same && found.status === "ready") return found;
		if (gone()) return null;
		await patience.pause(same ? found : server);
	}
}

async function setLogAside(logFile: string): Promise<void> {
	const log = await stat(logFile).catch(() => null);
	if (log !== null && log.size > MAX_LOG_BYTES) await rename(logFile, `${logFile}.old`);
}

/** The setting is a list: a directory with a comma or a space must be in double quotes. */
const quoteDirectory = (directory: string): string => `"${directory.replaceAll('"', '""')}"`;

function startFailed(cluster: Cluster, failure: string): string {
	const lines = failure.trim().split("\n").slice(-LOG_LINES_SHOWN).join("\n  ");
	return `The embedded PostgreSQL in ${cluster.pgData} did not start:\n  ${lines}\nIts log is ${cluster.logFile}.`;
}
