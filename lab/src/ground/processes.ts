/** Processes identified by id and start time, so that a reused id is never mistaken for the old process. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that the lab may signal. Linux only: everything here is read from /proc. */
export interface Process {
	readonly pid: number;
	/** Field 22 of /proc/PID/stat: clock ticks from boot to the start of the process. */
	readonly born: string;
}

/** Fields of /proc/PID/stat, counted after the closing parenthesis of the command's name. */
const STATE_FIELD = 0;
const PARENT_FIELD = 1;
const BORN_FIELD = 19;
/** Milliseconds between two polls for the end of processes. */
const LOOK_EVERY_MS = 10;

/** The process that has this id now; null if there is none or it is a zombie. */
export function identify(pid: number): Process | null {
	const fields = statOf(pid);
	const born = fields?.[BORN_FIELD];
	return fields === null || born === undefined || fields[STATE_FIELD] === "Z" ? null : { pid, born };
}

export const lives = (process: Process): boolean => identify(process.pid)?.born === process.born;

/** Sends a signal after verifying that the process is still the same. Returns false if it is gone. */
export function signal(target: Process, name: NodeJS.Signals): boolean {
	if (target.pid <= 1 || !lives(target)) return false;
	try {
		process.kill(target.pid, name);
		return true;
	} catch (error) {
		if ((error as { code?: string }).code === "ESRCH") return false;
		throw error;
	}
}

/** The current children of a process. */
export function childrenOf(parent: Process): Process[] {
	if (!lives(parent)) return [];
	return readdirSync("/proc")
		.filter((entry) => /^\d+$/.test(entry) && Number(statOf(Number(entry))?.[PARENT_FIELD]) === parent.pid)
		.map((entry) => identify(Number(entry)))
		.filter((child) => child !== null);
}

/** The child of `parent` with this id; null if that process does not exist or is not a child of `parent`. */
export function childWithPid(parent: Process, pid: number): Process | null {
	if (pid <= 1 || !lives(parent) || Number(statOf(pid)?.[PARENT_FIELD]) !== parent.pid) return null;
	return identify(pid);
}

/** Resolves when all have ended, or after `withinMs`; returns those still running. */
export async function ended(processes: readonly Process[], withinMs: number): Promise<Process[]> {
	const latest = performance.now() + withinMs;
	let left = processes.filter(lives);
	while (left.length > 0 && performance.now() < latest) {
		await sleep(LOOK_EVERY_MS);
		left = left.filter(lives);
	}
	return left;
}

/** The same, blocking, for use while the lab's own process exits. */
export function endedSync(processes: readonly Process[], withinMs: number): void {
	const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
	const latest = performance.now() + withinMs;
	while (processes.some(lives) && performance.now() < latest) Atomics.wait(pause, 0, 0, LOOK_EVERY_MS);
}

function statOf(pid: number): string[] | null {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, "utf8");
		return text.slice(text.lastIndexOf(")") + 2).split(" ");
	} catch {
		return null;
	}
}
