import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { signal } from "../pg/signal.ts";

/** Processes are inspected and signalled only through /proc; on other systems they are unknown and left alone. */
const CAN_SEE = process.platform === "linux";
/** The title of a PostgreSQL process, with the name of its cluster if it has one. */
const TITLE = /^postgres: (?:.*: )?/;

/** A process at the moment it was read. */
export interface Seen {
	readonly pid: number;
	readonly parent: number;
	/** Clock ticks since boot; with the pid it identifies one process for ever, because pids are reused. */
	readonly startedAt: string;
	/** Clock ticks of processor time used. */
	readonly ticks: number;
	/** Its command line. PostgreSQL writes the role of a process into it, and the startup process also its progress. */
	readonly title: string;
}

/** Whether `pid` is alive and the postmaster of this data directory. Pids are reused, so being alive is not enough. */
export function isPostmasterOf(pid: number, pgData: string): boolean {
	if (pid <= 1 || !signal(pid, 0)) return false;
	if (!CAN_SEE) return true;
	try {
		return readlinkSync(`/proc/${pid}/cwd`) === pgData;
	} catch (error) {
		if ((error as { code?: string }).code !== "EACCES") return false; // gone, or ended and not yet reaped
		return commandLineNames(pid, pgData); // another account's process shows only its command line
	}
}

/** The living children of the postmaster `pid`; null where processes cannot be read. */
export function childrenOf(pid: number): Seen[] | null {
	return CAN_SEE ? allProcesses().filter(({ parent }) => parent === pid) : null;
}

/** PostgreSQL processes that work in this data directory and whose parent is not a postmaster of it. */
export function orphansOf(pgData: string): Seen[] {
	if (!CAN_SEE) return [];
	return allProcesses().filter(
		(seen) => TITLE.test(seen.title) && worksIn(seen.pid, pgData) && !isPostmasterOf(seen.parent, pgData),
	);
}

/** The process that recovers the database, or null. */
export const startupOf = (children: readonly Seen[]): Seen | null =>
	children.find(({ title }) => TITLE.test(title) && /^startup\b/.test(title.replace(TITLE, ""))) ?? null;

/** The processes that each serve a connection, without those that are only about to refuse one. */
export const backendsOf = (children: readonly Seen[]): Seen[] =>
	children.filter(
		({ title }) =>
			/ (?:\[local\]|\S+\(\d+\)) /.test(`${title} `) && !/ (?:initializing|authentication|startup)$/.test(title),
	);

/** Sends SIGKILL to exactly this process, if it still runs and still works in this data directory. */
export function killSeen(seen: Seen, pgData: string): void {
	if (stillRuns(seen) && worksIn(seen.pid, pgData)) signal(seen.pid, "SIGKILL");
}

/** Whether exactly this process still runs. */
export const stillRuns = (seen: Seen): boolean => readProcess(seen.pid)?.startedAt === seen.startedAt;

function worksIn(pid: number, folder: string): boolean {
	try {
		return pid > 1 && readlinkSync(`/proc/${pid}/cwd`) === folder;
	} catch {
		return false; // gone, or another account's: not ours to signal
	}
}

function allProcesses(): Seen[] {
	return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

/** Null: there is no such process, or it has ended and was not reaped yet. */
function readProcess(pid: number): Seen | null {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// proc(5): pid (name) state ppid …, utime 14th, stime 15th, starttime 22nd; the name may contain ") "
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		if (fields[0] === "Z" || fields[0] === "X") return null;
		return {
			pid,
			parent: Number(fields[1]),
			startedAt: fields[19] ?? "",
			ticks: Number(fields[11]) + Number(fields[12]),
			title: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim(),
		};
	} catch {
		return null;
	}
}

function commandLineNames(pid: number, pgData: string): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(pgData);
	} catch {
		return false;
	}
}
