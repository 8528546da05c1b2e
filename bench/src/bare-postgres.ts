/**
 * `initdb` and start alone: the minimum that any embedded PostgreSQL costs. The service's cold start is compared with
 * it, so this is the bench's own code, with the same programs under the same account.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chown, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { serverAccount } from "../../service/src/ground/embedded/account.ts";
import { findBinaries } from "../../service/src/ground/embedded/binaries.ts";

const run = promisify(execFile);

/** Milliseconds between two reads of the pid file. */
const LOOK_EVERY_MS = 2;
/** Maximum milliseconds for `initdb` or a start. */
const TIMEOUT_MS = 30_000;
/** The line of postmaster.pid with the server's state. */
const STATUS_LINE = 7;

/** Milliseconds for `initdb`, and for the server to accept connections. Uses the new folder `directory`. */
export async function timeBarePostgres(directory: string): Promise<{ initdbMs: number; startMs: number }> {
	const account = await serverAccount(() => undefined);
	const { initdb, postgres } = await findBinaries(undefined);
	await mkdir(directory, { mode: 0o700 });
	if (account) await chown(directory, account.uid, account.gid);
	const data = path.join(directory, "postgres");
	const as = { cwd: "/", env: { LC_ALL: "C", TZ: "UTC" }, ...account };
	const began = performance.now();
	await run(initdb, ["-D", data, "-U", "bench", "--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums"], {
		...as,
		timeout: TIMEOUT_MS,
	});
	const initialised = performance.now();
	const settings = ["listen_addresses=", `unix_socket_directories=${directory}`];
	const server = spawn(postgres, ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
		...as,
		stdio: "ignore",
	});
	try {
		await untilReady(path.join(data, "postmaster.pid"), server);
		return { initdbMs: initialised - began, startMs: performance.now() - initialised };
	} finally {
		await stop(server);
	}
}

async function untilReady(pidFile: string, server: ChildProcess): Promise<void> {
	const giveUpAt = performance.now() + TIMEOUT_MS;
	while (performance.now() < giveUpAt && server.exitCode === null) {
		const lines = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
		if (lines[STATUS_LINE]?.startsWith("ready")) return;
		await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
	}
	throw new Error("a bare PostgreSQL did not start");
}

async function stop(server: ChildProcess): Promise<void> {
	if (server.exitCode !== null) return;
	const ended = new Promise((resolve) => server.once("exit", resolve));
	server.kill("SIGINT");
	await ended;
}
