/**
 * Cleans up when the lab's process ends for any reason: an error, Ctrl-C or another signal. Everything here runs
 * synchronously during process exit, so nothing may wait.
 */
import { type Process, signal } from "./processes.ts";

/** Undoes one thing; runs at most once, during process exit. */
type Undo = () => void;

const undoings = new Set<Undo>();
let listening = false;
/** Exit code of a process ended by a signal: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Runs `undo` when the process ends, in reverse order of registration. The returned function cancels it, for use after
 * a regular cleanup.
 */
export function atLast(undo: Undo): () => void {
	listen();
	undoings.add(undo);
	return () => undoings.delete(undo);
}

/** Kills the process at exit if it still exists, frozen or not. */
export const killAtLast = (target: Process): (() => void) => atLast(() => signal(target, "SIGKILL"));

function listen(): void {
	if (listening) return;
	listening = true;
	process.on("exit", () => {
		for (const undo of [...undoings].reverse()) {
			try {
				undo();
			} catch (error) {
				console.error(`the lab could not clean up: ${String(error)}`);
			}
		}
	});
	for (const [name, code] of Object.entries(EXIT_CODES) as [NodeJS.Signals, number][]) {
		// first in the list, so that a listener that removes itself after its first signal is still counted
		process.prependListener(name, () => {
			// another listener ends the run regularly; a second signal does not wait for it
			if (process.listenerCount(name) === 1 || stopping) process.exit(code);
			stopping = true;
		});
	}
}

let stopping = false;
