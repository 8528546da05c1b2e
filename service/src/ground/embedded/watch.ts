import { backendsOf, type Seen, startupOf } from "./processes.ts";

/**
 * Milliseconds that a recovering server may be without a startup process: PostgreSQL starts the next one at once, or
 * never.
 */
export const NO_STARTUP_MS = 10_000;
/** Milliseconds without processor time or progress after which a startup process counts as stuck. */
export const STARTUP_STILL_MS = 300_000;
/** Milliseconds that a stopping server may be idle: its last checkpoint uses processor time throughout. */
export const STOP_STILL_MS = 60_000;
/** Milliseconds for a new server to write its pid file. */
export const NO_PID_FILE_MS = 60_000;
/** Milliseconds to wait for a server whose processes cannot be read. */
export const UNSEEN_MS = 600_000;
/** Consecutive recoveries during one wait, after which a server that keeps crashing is given up. */
export const MOST_RECOVERIES = 20;

/** The state, at one moment, of a server that does not accept connections. */
export interface Sight {
	readonly pid: number;
	/** The status in its pid file; all but `stopping` mean starting or recovering. Null: none written yet. */
	readonly status: string | null;
	/** Null if this system does not show processes. */
	readonly children: readonly Seen[] | null;
	/** Milliseconds on a monotonic clock. */
	readonly atMs: number;
}

export interface WatchVerdict {
	/**
	 * `wait`: it may still come up. `end`: it never will, and has no users. `give up`: it never will, and we may not
	 * end it.
	 */
	readonly kind: "wait" | "end" | "give up";
	/** What the server is doing, as the middle of a sentence. */
	readonly doing: string;
}

/** Judges after each observation whether a server that does not accept connections yet can still come up. */
export type Watch = (sight: Sight) => WatchVerdict;

interface Condition {
	/** Changes when the server starts doing something else. */
	readonly name: string;
	/** Changes when the server makes progress. */
	readonly progress: string;
	readonly doing: string;
	/** Milliseconds that it may last without progress. */
	readonly limitMs: number;
	readonly finally: "end" | "give up";
}

export function createWatch(): Watch {
	let last = "";
	let sinceMs = 0;
	const recoveries = new Set<number>();
	return (sight) => {
		const condition = conditionOf(sight);
		const now = `${condition.name} ${condition.progress}`;
		if (now !== last) sinceMs = sight.atMs;
		last = now;
		const startup = startupOf(sight.children ?? []);
		if (startup) recoveries.add(startup.pid);
		if (recoveries.size > MOST_RECOVERIES) {
			return { kind: "give up", doing: `has crashed and recovered ${MOST_RECOVERIES} times in a row` };
		}
		const still = sight.atMs - sinceMs;
		const lasting = `${condition.doing} for ${Math.round(still / 1_000)} s`;
		return still >= condition.limitMs
			? { kind: condition.finally, doing: lasting }
			: { kind: "wait", doing: condition.limitMs === NO_STARTUP_MS ? lasting : condition.doing };
	};
}

function conditionOf({ pid, status, children }: Sight): Condition {
	if (status === null) {
		const doing = "has been starting without a pid file";
		return { name: `new ${pid}`, progress: "", doing, limitMs: NO_PID_FILE_MS, finally: "give up" };
	}
	if (children === null) {
		const doing = `has been ${status === "stopping" ? "stopping" : "starting or recovering"}`;
		return { name: `unseen ${pid}`, progress: "", doing, limitMs: UNSEEN_MS, finally: "give up" };
	}
	if (status === "stopping") return stoppingCondition(pid, children);
	const startup = startupOf(children);
	if (startup === null) {
		const doing = "has been recovering without a startup process";
		return { name: `no startup ${pid}`, progress: "", doing, limitMs: NO_STARTUP_MS, finally: "end" };
	}
	return {
		name: `startup ${startup.pid}`,
		progress: `${startup.ticks} ${startup.title}`,
		doing: `has been recovering (in process ${startup.pid})`,
		limitMs: STARTUP_STILL_MS,
		finally: "end",
	};
}

/** A server in a smart shutdown waits for its users: ending it would cut them off. */
function stoppingCondition(pid: number, children: readonly Seen[]): Condition {
	const users = backendsOf(children).length;
	// processes that refuse new connections come and go: only those that do the work of stopping count
	const workers = children.filter(({ title }) => / (?:checkpointer|walwriter|io worker)/.test(title));
	return {
		name: `stopping ${pid}`,
		progress: `${users} ${workers.length} ${workers.reduce((sum, { ticks }) => sum + ticks, 0)}`,
		doing: users === 0 ? "has been stopping" : `has been stopping while ${users} connections still use it`,
		limitMs: STOP_STILL_MS,
		finally: users === 0 ? "end" : "give up",
	};
}
