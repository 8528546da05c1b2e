import { monotonicMs, wait } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { Cluster } from "./cluster.ts";
import { endPostmaster } from "./end.ts";
import { childrenOf } from "./processes.ts";
import { createWatch } from "./watch.ts";

/** Milliseconds between two attempts in the first seconds, when most servers come up. */
const PACE_AT_FIRST_MS = 5;
/** Milliseconds between two later attempts: each may leave a line in the server's log. */
const PACE_LATER_MS = 250;
/** Milliseconds between two checks of the server's processes. */
const WATCH_EVERY_MS = 250;
/** Milliseconds until a message at the terminal names the reason for the wait, and between later messages. */
const TELL_AFTER_MS = 3_000;
const TELL_EVERY_MS = 15_000;
/** Maximum number of servers that one wait ends: if yet another hangs, the cause lies elsewhere. */
const MOST_ENDED = 3;

/** A server being waited for, with the status from its pid file; null if it has not written one yet. */
export interface Waited {
	readonly pid: number;
	readonly status: string | null;
}

/** Waits for a data folder's server while it makes progress. One instance for each opening or restart. */
export interface Patience {
	/**
	 * Pauses once while waiting for a server that does not accept connections yet. Kills a server that will never
	 * accept any, so that it can be restarted. @throws OperatorError if further waiting is useless, and the signal's
	 * reason if the wait was cancelled
	 */
	pause(server: Waited): Promise<void>;
	/** @throws the signal's reason if the wait was cancelled */
	check(): void;
}

export function createPatience(cluster: Cluster, say: (line: string) => void, signal: AbortSignal): Patience {
	const watch = createWatch();
	const beganAt = monotonicMs();
	let watchAt = 0;
	let tellAt = beganAt + TELL_AFTER_MS;
	let ended = 0;
	const end = async (pid: number, doing: string): Promise<void> => {
		if (++ended > MOST_ENDED)
			throw hopeless(cluster, pid, `${doing}, and was ended and started again ${MOST_ENDED} times without success`);
		say(`PostgreSQL (process ${pid}) ${doing}: it will never accept connections. Ending it and starting it again.`);
		if (await endPostmaster(cluster.pgData, pid)) return;
		throw hopeless(cluster, pid, `${doing}, and does not end when killed`);
	};
	const check = async ({ pid, status }: Waited, now: number): Promise<void> => {
		const { kind, doing } = watch({ pid, status, children: childrenOf(pid), atMs: now });
		if (kind === "give up") throw hopeless(cluster, pid, doing);
		if (kind === "end") return await end(pid, doing);
		if (now < tellAt) return;
		tellAt = now + TELL_EVERY_MS;
		say(`Waiting for PostgreSQL (process ${pid}), which ${doing}. Its log is ${cluster.logFile}.`);
	};
	return {
		check: () => signal.throwIfAborted(),
		async pause(server) {
			signal.throwIfAborted();
			const now = monotonicMs();
			if (now >= watchAt) {
				watchAt = now + WATCH_EVERY_MS;
				await check(server, now);
			}
			await wait(now - beganAt < TELL_AFTER_MS ? PACE_AT_FIRST_MS : PACE_LATER_MS);
		},
	};
}

function hopeless({ pgData, logFile }: Cluster, pid: number, doing: string): OperatorError {
	return new OperatorError(
		`The embedded PostgreSQL in ${pgData} (process ${pid}) ${doing}. Look at its log ${logFile}, end that process, and start Holdfast again.`,
	);
}
