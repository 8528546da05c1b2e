import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { keepSecretsOfSettings } from "../leaks/secrets.ts";
import { keepWritten } from "../leaks/written.ts";
import { sizeOr } from "../sizes.ts";

/** Milliseconds to wait for something that must happen: generous, because machines are busy; it measures nothing. */
const PATIENCE_MS = sizeOr(300_000, 60_000);

/**
 * Where scripts of the tests keep what was compiled of them and of all that they load: most of the time of a start.
 * `holdfast` does so by itself.
 */
export const COMPILED = join(import.meta.dirname, "../../../node_modules/.cache/holdfast-tests");

export const LAUNCHER = join(import.meta.dirname, "../../../cli/bin/holdfast.js");

/** The variables of this process without Holdfast's, and these. */
export const shellWith = (env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
	...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"))),
	...env,
});

/** A real process under test, with what it printed so far. */
export interface Child {
	readonly process: ChildProcess;
	readonly pid: number;
	readonly lines: string[];
	/** Lines of standard error. */
	readonly errors: string[];
	/** Exit code, or the signal's name. */
	readonly exited: Promise<number | string>;
	/** Sends SIGKILL and waits until the process is gone. */
	kill(): Promise<void>;
	/** Sends SIGTERM and waits; the exit code. */
	stop(): Promise<number | string>;
}

export interface SpawnSettings {
	readonly env?: NodeJS.ProcessEnv;
	readonly uid?: number;
	readonly gid?: number;
	readonly cwd?: string;
	/** In a process group of its own. */
	readonly detached?: boolean;
}

const living = new Set<Child>();

/** The two lines in which a first start shows a sandbox key: alone, and in a command to paste. */
const SHOWN_ONCE = /^ {2}(?:curl .* -H 'Authorization: Bearer )?pk_hf_sandbox_\w+:sk_hf_sandbox_/;

export function start(command: string, args: readonly string[], settings: SpawnSettings = {}): Child {
	const env = settings.env ?? { ...process.env, NODE_COMPILE_CACHE: COMPILED };
	const spawned = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...settings, env });
	const { pid } = spawned;
	if (pid === undefined) throw new Error(`${command} did not start`);
	const lines: string[] = [];
	const errors: string[] = [];
	createInterface({ input: spawned.stdout }).on("line", (line) => lines.push(line));
	createInterface({ input: spawned.stderr }).on("line", (line) => errors.push(line));
	const exited = new Promise<number | string>((resolve) => {
		spawned.once("close", (code, signal) => resolve(code ?? signal ?? "gone"));
	});
	const child: Child = {
		process: spawned,
		pid,
		lines,
		errors,
		exited,
		kill: async () => {
			spawned.kill("SIGKILL");
			await exited;
		},
		stop: () => {
			spawned.kill("SIGTERM");
			return exited;
		},
	};
	keepSecretsOfSettings(settings.env ?? {});
	const script = args.map((one) => basename(one)).find((one) => /^[\w-]+\.\w+$/.test(one)) ?? "";
	keepWritten(`what ${basename(command)} ${script} printed`, () =>
		[...lines, ...errors].filter((line) => !SHOWN_ONCE.test(line)).join("\n"),
	);
	living.add(child);
	void exited.then(() => living.delete(child));
	return child;
}

/**
 * For `afterEach`: no process outlives its test. Does not wait for the end of the output, because a process that a
 * killed child had started may hold the pipe open.
 */
export async function killAll(): Promise<void> {
	await Promise.all(
		[...living].map(async (child) => {
			child.process.stdout?.destroy();
			child.process.stderr?.destroy();
			await child.kill();
		}),
	);
}

/**
 * The first value of `look` that is not null, undefined or false. Fails after a time limit, with `what` it waited for.
 */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
	const giveUpAt = performance.now() + PATIENCE_MS;
	while (performance.now() < giveUpAt) {
		const value = await look();
		if (value !== null && value !== undefined && value !== false) return value as NonNullable<T>;
		await sleep(20);
	}
	throw new Error(`waited ${PATIENCE_MS / 1000} s in vain for ${what}`);
}

/** Does the process still run? An ended one that its parent has not reaped yet does not. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch (error) {
		const { syscall } = error as { syscall?: string };
		return syscall === "open" && process.platform !== "linux";
	}
}
