import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { timeLibrary } from "../../../lab/src/ground/server-clock.ts";

/**
 * A clock that runs faster than the machine's, from libfaketime. All processes with its variables have the same time to
 * the millisecond, whenever they are started, and all of their clocks and timers follow it: the monotonic clock, waits
 * for input, and sleeps. What PostgreSQL asks of `setitimer` does not: its limits for a statement and for a deadlock
 * come late, which no test of this clock relies on.
 */
export interface FastClock {
	/** Environment variables that give a process this clock. */
	readonly env: Readonly<Record<string, string>>;
	close(): void;
}

/** Tests need the library, from Debian's package `faketime`; without it they are skipped, but never in CI. */
export const hasFastClock = timeLibrary() !== undefined || process.env.CI !== undefined;

/** Where Linux keeps named semaphores and shared memory. */
const SHARED = "/dev/shm";
/** Seconds for which the library keeps what it read of its variables, which never change: for ever. */
const FOR_EVER = "1000000000";
/** Everyone: the server's account is another one when the tests run as root. */
const FOR_ALL = 0o666;
const MS = 1_000;

/**
 * Starts a clock at an instant (epoch milliseconds), which runs `rate` times as fast as the machine's. @throws without
 * the library
 */
export function startFastClock(at: number, rate: number): FastClock {
	const library = timeLibrary();
	if (library === undefined) throw new Error("libfaketime is not installed: apt-get install faketime");
	const ahead = Math.round((at - Date.now()) / MS);
	const env = {
		LD_PRELOAD: library,
		FAKETIME: `${ahead < 0 ? "-" : "+"}${Math.abs(ahead)} x${rate}`,
		FAKETIME_CACHE_DURATION: FOR_EVER,
		NO_FAKE_STAT: "1",
	};
	// The library counts from the start of a process, unless it finds the start of the first one in shared memory. The
	// first one makes that, and would remove it when it ends in order.
	const { stdout } = spawnSync("/bin/sh", ["-c", 'echo "$FAKETIME_SHARED"; kill -KILL $$'], { env, encoding: "utf8" });
	const [, semaphore, memory] = /^\/(\S+) \/(\S+)$/.exec(stdout.trim()) ?? [];
	if (semaphore === undefined || memory === undefined) throw new Error(`libfaketime shares no start: ${stdout}`);
	const files = [`${SHARED}/sem.${basename(semaphore)}`, `${SHARED}/${basename(memory)}`];
	for (const file of files) chmodSync(file, FOR_ALL);
	return {
		env: { ...env, FAKETIME_SHARED: stdout.trim() },
		close: () => {
			for (const file of files) rmSync(file, { force: true });
		},
	};
}
