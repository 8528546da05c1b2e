/** The cost of a running process: CPU seconds and memory, from /proc. On other systems these columns stay empty. */
import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second in /proc/<pid>/stat; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const BYTES_PER_KIB = 1_024;
/** Fields of /proc/<pid>/stat after the command's closing parenthesis. */
const PARENT_FIELD = 1;
const USER_TICKS_FIELD = 11;
const SYSTEM_TICKS_FIELD = 12;

const statFields = (pid: number): string[] => {
	const text = readFileSync(`/proc/${pid}/stat`, "utf8");
	return text.slice(text.lastIndexOf(")") + 2).split(" ");
};

/** The process and its descendants, for PostgreSQL. */
export function family(pid: number): number[] {
	const members = [pid];
	for (const entry of safely(() => readdirSync("/proc"), [])) {
		if (!/^\d+$/.test(entry)) continue;
		const parent = safely(() => Number(statFields(Number(entry))[PARENT_FIELD]), -1);
		if (parent === pid) members.push(Number(entry));
	}
	return members;
}

/** CPU seconds used so far by these processes together; ended processes no longer count. */
export function cpuSeconds(pids: readonly number[]): number {
	let ticks = 0;
	for (const pid of pids) {
		const fields = safely(() => statFields(pid), []);
		ticks += Number(fields[USER_TICKS_FIELD] ?? 0) + Number(fields[SYSTEM_TICKS_FIELD] ?? 0);
	}
	return ticks / TICKS_PER_SECOND;
}

/** Bytes of memory of these processes, with shared pages divided among their users (PSS); NaN if unknown. */
export function memoryBytes(pids: readonly number[]): number {
	let total = 0;
	for (const pid of pids) {
		const text = safely(() => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"), "");
		total += Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) * BYTES_PER_KIB;
	}
	return total;
}

function safely<T>(read: () => T, otherwise: T): T {
	try {
		return read();
	} catch {
		return otherwise; // the process has ended, or this is not Linux
	}
}
