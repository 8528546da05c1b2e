import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { EMBEDDED_DATABASE, EMBEDDED_USER } from "../../service/src/ground/embedded/cluster.ts";
import { Client, ConnectionLost } from "./http.ts";

/** The line of PostgreSQL's postmaster.pid (from 0) with the folder of its socket. */
const SOCKET_LINE = 4;
const LAUNCHER = fileURLToPath(new URL("../../cli/bin/holdfast.js", import.meta.url));
/** Milliseconds for a start, also after a crash. */
const START_MS = 60_000;
/** Milliseconds for a graceful stop: the service drains within 10 s. */
const STOP_MS = 20_000;
/** Milliseconds between two polls of /readyz. */
const LOOK_EVERY_MS = 25;
/** Bytes that a CLI command may print: the ids of a whole import. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/** The result of a `holdfast` command. */
export interface Ran {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** A service of the replay's own: a data folder, a child process on free ports, and the CLI. */
export class OwnService {
	readonly url: string;
	readonly coaUrl: string;
	readonly data: string;
	readonly #env: NodeJS.ProcessEnv;
	/** The folder of the data and the service's log. */
	readonly folder: string;
	readonly #keep: boolean;
	readonly #log: string;
	readonly #client: Client;
	#child: ChildProcess | null = null;
	#wanted = false;
	readonly #died = Promise.withResolvers<never>();

	private constructor(folder: string, keep: boolean, ports: readonly number[]) {
		this.folder = folder;
		this.#keep = keep;
		this.data = join(folder, "data");
		this.#log = join(folder, "service.log");
		this.url = `http://127.0.0.1:${ports[0]}`;
		this.coaUrl = `http://127.0.0.1:${ports[1]}`;
		this.#client = new Client(this.url);
		// Removes the shell's own settings: the service of this run uses only those given here.
		const shell = Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"));
		this.#env = {
			...Object.fromEntries(shell),
			HOLDFAST_DATA_DIR: this.data,
			HOLDFAST_PORT: String(ports[0]),
			HOLDFAST_COA_PORT: String(ports[1]),
			HOLDFAST_METRICS_PORT: String(ports[2]),
		};
	}

	/** Prepares without starting anything. `folder`: null for a temporary one, removed at the end of a clean run. */
	static async prepare(folder: string | null): Promise<OwnService> {
		const home = folder === null ? mkdtempSync(join(tmpdir(), "holdfast-replay-")) : resolve(folder);
		mkdirSync(join(home, "data"), { recursive: true });
		// PostgreSQL does not run as root: its own user must be able to reach the folder.
		if (folder === null) chmodSync(home, 0o755);
		const service = new OwnService(home, folder !== null, await freePorts(3));
		service.died.catch(() => undefined); // handled by those that await it
		return service;
	}

	/** Starts the service and waits until it is ready. */
	async start(): Promise<void> {
		const log = openSync(this.#log, "a");
		const child = spawn(process.execPath, [LAUNCHER, "start"], { env: this.#env, stdio: ["ignore", log, log] });
		this.#child = child;
		this.#wanted = true;
		child.once("exit", (code, signal) => {
			if (this.#wanted && this.#child === child) {
				this.#died.reject(new Error(`the service ended by itself (${signal ?? code}); ${this.#lastWords()}`));
			}
		});
		await Promise.race([this.ready(), this.#died.promise]);
	}

	/** Rejects when the service ends without having been stopped. */
	get died(): Promise<never> {
		return this.#died.promise;
	}

	/** Resolves when /readyz answers 200. */
	async ready(): Promise<void> {
		const latest = performance.now() + START_MS;
		while (performance.now() < latest) {
			if (await this.#isReady()) return;
			await sleep(LOOK_EVERY_MS);
		}
		throw new Error(`the service was not ready within ${START_MS / 1000} s; ${this.#lastWords()}`);
	}

	async #isReady(): Promise<boolean> {
		try {
			return (await this.#client.send({ method: "GET", path: "/readyz" })).status === 200;
		} catch (error) {
			if (error instanceof ConnectionLost) return false;
			throw error;
		}
	}

	/** Sends SIGKILL to the service; resolves when it is gone. */
	async kill(): Promise<void> {
		const child = this.#child;
		if (child === null || child.exitCode !== null) throw new Error("the service to kill does not run");
		const gone = new Promise((done) => child.once("exit", done));
		this.#wanted = false;
		child.kill("SIGKILL");
		await gone;
	}

	/** Sends SIGKILL to the PostgreSQL of the data folder; returns its process id. */
	async killPostgres(): Promise<number> {
		const pid = await this.#postmaster();
		process.kill(pid, "SIGKILL");
		return pid;
	}

	/** Resolves when a new PostgreSQL runs instead of the killed one, and the service is ready on it. */
	async revived(killed: number): Promise<void> {
		await this.#postmaster(killed);
		await this.ready();
	}

	/** The address of its PostgreSQL, which stays the same after a restart. */
	databaseUrl(): string {
		const password = readFileSync(join(this.data, "postgres-password"), "utf8").trim();
		const pidFile = readFileSync(join(this.data, "postgres", "postmaster.pid"), "utf8").split("\n");
		const socket = encodeURIComponent((pidFile[SOCKET_LINE] as string).trim());
		return `postgresql://${EMBEDDED_USER}:${password}@/${EMBEDDED_DATABASE}?host=${socket}`;
	}

	/** The running server's process id, from its own file; one other than `not`. */
	async #postmaster(not?: number): Promise<number> {
		const latest = performance.now() + START_MS;
		while (performance.now() < latest) {
			try {
				const pid = Number(readFileSync(join(this.data, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
				if (pid !== not && isPostgres(pid)) return pid;
				await sleep(LOOK_EVERY_MS);
			} catch {
				await sleep(LOOK_EVERY_MS);
			}
		}
		throw new Error("no PostgreSQL runs in the data folder");
	}

	/** Runs `holdfast …` on the same data folder; resolves whatever its exit code. */
	holdfast(...args: string[]): Promise<Ran> {
		return new Promise((done, fail) => {
			const options = { env: this.#env, maxBuffer: MAX_OUTPUT };
			execFile(process.execPath, [LAUNCHER, ...args], options, (error, stdout, stderr) => {
				if (error !== null && typeof error.code !== "number") return fail(error);
				done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
			});
		});
	}

	/** Returns the document printed by `holdfast import FILE --json`. Throws if the import fails. */
	async import(name: string, world: unknown): Promise<string> {
		const file = join(this.folder, name);
		writeFileSync(file, JSON.stringify(world));
		const ran = await this.holdfast("import", file, "--json");
		if (ran.code !== 0) throw new Error(`holdfast import ${file} ended with ${ran.code}: ${ran.stderr || ran.stdout}`);
		return ran.stdout;
	}

	/** Stops the service gracefully, and with it its PostgreSQL. Returns its exit code. */
	async stop(): Promise<number | null> {
		this.#wanted = false;
		this.#client.close();
		const child = this.#child;
		if (child === null || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
		const gone = new Promise<number | null>((done) => child.once("exit", done));
		child.kill("SIGTERM");
		const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
		const code = await gone;
		clearTimeout(late);
		return code;
	}

	/** Removes a temporary data folder. */
	remove(): void {
		if (!this.#keep) rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}

	#lastWords(): string {
		const text = readFileSync(this.#log, "utf8").trim().split("\n").slice(-5).join("\n");
		return `its log, ${this.#log}, ends:\n${text}`;
	}
}

/** Whether this process exists and is PostgreSQL. The id in a stale file may belong to another process by now. */
function isPostgres(pid: number): boolean {
	process.kill(pid, 0);
	return process.platform !== "linux" || readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres");
}

/** Free ports. They stay the same over restarts, like a service's address. */
async function freePorts(count: number): Promise<number[]> {
	const servers = Array.from({ length: count }, () => createServer());
	const ports = await Promise.all(
		servers.map(
			(server) =>
				new Promise<number>((done) => {
					server.listen(0, "127.0.0.1", () => done((server.address() as { port: number }).port));
				}),
		),
	);
	await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
	return ports;
}
