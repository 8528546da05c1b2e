/** Starts the bench's processes, and leaves none behind. */
import { type ChildProcess, fork, type SpawnOptions, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import type { LoadJob, LoadMessage, LoadResult } from "./load.ts";
import { cpuSeconds } from "./processes.ts";
import type { ServerJob, ServerMessage } from "./server.ts";
import type { WireJob } from "./wire.ts";
import type { World } from "./world.ts";

export const HOST = "127.0.0.1";
/** Maximum milliseconds for a process to be ready. */
const READY_TIMEOUT_MS = 30_000;
/** Milliseconds for a process to stop before it is killed. */
const STOP_TIMEOUT_MS = 15_000;
/** Milliseconds between two readiness checks of a service. */
const LOOK_EVERY_MS = 5;
/** Lines of the log that are shown when a start fails. */
const LOG_LINES = 8;
const SERVICE = path.join(import.meta.dirname, "../../service/src/main.ts");

export interface Server {
	readonly port: number;
	readonly pid: number;
	stop(): Promise<void>;
}

/** The variables of this process that are not settings. */
function cleanEnv(): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_")));
}

/** Starts the service with production settings and its log in a file. Resolves when it is ready to serve. */
export async function startService(
	settings: Record<string, string>,
	logFile: string,
	nodeOptions: string[] = [],
): Promise<Server> {
	const port = await freePort();
	const env = { ...cleanEnv(), HOLDFAST_COA_PORT: "0", ...settings, HOLDFAST_PORT: String(port), HOLDFAST_HOST: HOST };
	const child = withLog(logFile, (stdio) => spawn(process.execPath, [...nodeOptions, SERVICE], { env, stdio }));
	await untilReady(child, port, logFile);
	return { port, pid: child.pid!, stop: () => stop(child, "SIGTERM") };
}

export const serviceOn = (world: World, logFile: string, nodeOptions?: string[]): Promise<Server> =>
	startService({ HOLDFAST_DATABASE_URL: world.url, HOLDFAST_SECRET_KEYS: world.secretKeys }, logFile, nodeOptions);

/** Starts a server of the bench: the service's gate with something else behind it. */
export async function startBenchServer(world: World, behind: ServerJob["behind"], logFile: string): Promise<Server> {
	const file = path.join(import.meta.dirname, "server.ts");
	const child = withLog(logFile, ([input, out, err]) =>
		fork(file, { env: cleanEnv(), stdio: [input, out, err, "ipc"] }),
	);
	const { url: databaseUrl, secretKeys } = world;
	child.send({ databaseUrl, secretKeys, behind } satisfies ServerJob);
	const message = await nextMessage<ServerMessage>(child);
	if (message.kind === "failed") throw new Error(message.why);
	return { port: message.port, pid: child.pid!, stop: () => stop(child, "disconnect") };
}

export interface Measured extends LoadResult {
	/** CPU seconds of each watched group of processes during the measurement. */
	readonly cpu: readonly number[];
}

/** A load generator: a process that runs one job after another. */
export class Generator<Job extends LoadJob | WireJob> {
	readonly #child: ChildProcess;

	constructor(file: "load.ts" | "wire.ts") {
		this.#child = fork(path.join(import.meta.dirname, file), { env: cleanEnv() });
	}

	/** Runs one job; `watched` returns the processes whose CPU time to measure, in groups. */
	async run(job: Job, watched: () => readonly (readonly number[])[]): Promise<Measured> {
		this.#child.send(job);
		let groups: readonly (readonly number[])[] = [];
		let before: readonly number[] = [];
		let cpu: readonly number[] = [];
		for (;;) {
			const message = await nextMessage<LoadMessage>(this.#child);
			switch (message.kind) {
				case "failed":
					throw new Error(message.why);
				case "measuring":
					groups = watched();
					before = groups.map(cpuSeconds);
					break;
				case "measured":
					cpu = groups.map((pids, index) => cpuSeconds(pids) - (before[index] ?? 0));
					break;
				case "done":
					return { ...message.result, cpu };
			}
		}
	}

	stop(): Promise<void> {
		return stop(this.#child, "disconnect");
	}
}

function nextMessage<M>(child: ChildProcess): Promise<M> {
	return new Promise((resolve, reject) => {
		const onMessage = (message: unknown): void => {
			child.off("exit", onExit);
			resolve(message as M);
		};
		const onExit = (code: number | null): void => {
			child.off("message", onMessage);
			reject(new Error(`a process of the bench ended with ${code}`));
		};
		child.once("message", onMessage);
		child.once("exit", onExit);
	});
}

type Stdio = ["ignore", number, number];

function withLog(file: string, start: (stdio: Stdio & SpawnOptions["stdio"]) => ChildProcess): ChildProcess {
	const log = openSync(file, "a");
	try {
		return start(["ignore", log, log]);
	} finally {
		closeSync(log);
	}
}

async function untilReady(child: ChildProcess, port: number, logFile: string): Promise<void> {
	const giveUpAt = performance.now() + READY_TIMEOUT_MS;
	while (performance.now() < giveUpAt && child.exitCode === null) {
		const reply = await fetch(`http://${HOST}:${port}/readyz`).catch(() => null);
		await reply?.arrayBuffer();
		if (reply?.ok) return;
		await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
	}
	await stop(child, "SIGTERM");
	const log = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-LOG_LINES).join("\n");
	throw new Error(`the service did not become ready:\n${log}`);
}

function stop(child: ChildProcess, how: "SIGTERM" | "disconnect"): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
	return new Promise((resolve) => {
		const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
		child.once("exit", () => {
			clearTimeout(timer);
			resolve();
		});
		if (how === "disconnect" && child.connected) child.disconnect();
		else child.kill("SIGTERM");
	});
}

/** A free port. */
export function freePort(): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once("error", reject);
		server.listen(0, HOST, () => {
			const address = server.address();
			server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
		});
	});
}
