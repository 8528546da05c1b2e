import { monotonicMs, wait } from "../lib/clock.ts";
import { signal } from "../pg/signal.ts";
import { childrenOf, isPostmasterOf, killSeen, orphansOf, type Seen, stillRuns } from "./processes.ts";

/** Milliseconds between two checks whether a process has ended. */
const POLL_EVERY_MS = 20;
/** Milliseconds to wait after SIGQUIT: PostgreSQL itself kills children that ignore it after 5 s. */
const QUIT_MS = 8_000;
/** Milliseconds to wait after SIGKILL: the kernel ends the process once its disk access completes. */
const KILL_MS = 10_000;

/**
 * Ends a server that will never accept connections, as a power cut would: acknowledged work is on disk, and the next
 * start recovers it. Sends SIGQUIT, then SIGKILL to the server and the children it leaves. Ignores a process that is
 * not the postmaster of this data directory. False: some process still runs.
 */
export async function endPostmaster(pgData: string, pid: number): Promise<boolean> {
	if (!isPostmasterOf(pid, pgData)) return true;
	const children = childrenOf(pid) ?? [];
	signal(pid, "SIGQUIT");
	const quit = await within(QUIT_MS, () => !isPostmasterOf(pid, pgData));
	if (!quit) {
		children.push(...(childrenOf(pid) ?? []));
		if (isPostmasterOf(pid, pgData)) signal(pid, "SIGKILL");
	}
	return await killAll(children, pgData, () => !isPostmasterOf(pid, pgData));
}

/** Ends the orphans of a killed postmaster: their shared memory prevents a new start. False: some still run. */
export async function endOrphans(pgData: string): Promise<boolean> {
	return await killAll(orphansOf(pgData), pgData, () => true);
}

async function killAll(processes: readonly Seen[], pgData: string, andThen: () => boolean): Promise<boolean> {
	for (const one of processes) killSeen(one, pgData);
	return await within(KILL_MS, () => andThen() && !processes.some(stillRuns));
}

/** Waits until it is done; false: it is not within the limit. */
export async function within(limitMs: number, done: () => boolean, everyMs: number = POLL_EVERY_MS): Promise<boolean> {
	const giveUpAt = monotonicMs() + limitMs;
	while (!done()) {
		if (monotonicMs() > giveUpAt) return false;
		await wait(everyMs);
	}
	return true;
}
