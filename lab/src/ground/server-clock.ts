import { existsSync, renameSync, writeFileSync } from "node:fs";

/** The library that shows a process another time, from Debian's package `faketime`. */
const LIBRARIES = [
	`/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketime.so.1`,
	"/usr/lib64/faketime/libfaketime.so.1",
	"/usr/lib/faketime/libfaketime.so.1",
];

/** The library on this machine; undefined: it is not installed. */
export const timeLibrary = (): string | undefined => LIBRARIES.find((candidate) => existsSync(candidate));

/**
 * The wall clock of a database server. It can be changed while the server runs; all its processes see the change within
 * `SEEN_WITHIN_MS`.
 */
export interface ServerClock {
	/** Environment variables that give a server this clock. */
	readonly env: NodeJS.ProcessEnv;
	/** Seconds by which the server's clock is ahead of ours; negative: behind. */
	set(seconds: number): void;
}

/** Milliseconds after which every process of a server has seen a step of its clock. */
export const SEEN_WITHIN_MS = 2_500;

/**
 * A clock stored in `file`; null if the library is not installed. The server's account must be able to read the file.
 */
export function openServerClock(file: string): ServerClock | null {
	const library = timeLibrary();
	if (library === undefined) return null;
	const set = (seconds: number): void => {
		// replaced by a rename, so that no process reads half a line
		writeFileSync(`${file}.new`, `${seconds < 0 ? "-" : "+"}${Math.abs(seconds)}\n`, { mode: 0o644 });
		renameSync(`${file}.new`, file);
	};
	set(0);
	return {
		env: {
			LD_PRELOAD: library,
			FAKETIME_TIMESTAMP_FILE: file,
			// The library reads the file with malloc, also in PostgreSQL's signal handlers: reading it at every call
			// corrupted a server's memory every few minutes.
			FAKETIME_CACHE_DURATION: "1",
			FAKETIME_DONT_FAKE_MONOTONIC: "1", // a real step of the wall clock does not affect the monotonic clock
			NO_FAKE_STAT: "1",
		},
		set,
	};
}
