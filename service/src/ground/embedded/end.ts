import { monotonicMs, wait } from "../lib/clock.ts";
import { signal } from "../pg/signal.ts";
import { childrenOf, isPostmasterOf, killSeen, orphansOf, type Seen, stillRuns } from "./processes.ts";

/** Milliseconds between two looks whether a process has ended. */
const LOOK_EVERY_MS = 20;
/** Milliseconds that SIGQUIT may take: PostgreSQL itself kills children that do not obey it after 5 s. */
const QUIT_MS = 8_000;
/** Milliseconds that a killed process may take: the kernel ends it as soon as it leaves the disk alone. */
const KILL_MS = 10_000;

/**
 * Ends a server that will never take connections, as a power cut would: what was acknowledged is on disk, and the next
 * start recovers it. SIGQUIT first, then SIGKILL of it and of the children it leaves. Does nothing to a process that is
 * not the postmaster of this data directory. False: something of it still runs.
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

/**
 * Ends what a killed postmaster left behind: it keeps the shared memory, so no server can start. False: something still
 * runs.
 */
export async function endOrphans(pgData: string): Promise<boolean> {
	return await killAll(orphansOf(pgData), pgData, () => true);
}

async function killAll(processes: readonly Seen[], pgData: string, andThen: () => boolean): Promise<boolean> {
	for (const one of processes) killSeen(one, pgData);
	return await within(KILL_MS, () => andThen() && !processes.some(stillRuns));
}

async function within(limitMs: number, done: () => boolean): Promise<boolean> {
	const giveUpAt = monotonicMs() + limitMs;
	while (!done()) {
		if (monotonicMs() > giveUpAt) return false;
		await wait(LOOK_EVERY_MS);
	}
	return true;
}
