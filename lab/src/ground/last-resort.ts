/**
 * What must be gone when the lab's process ends, however it ends: by an error, by Ctrl-C, by a signal. Everything here
 * runs synchronously while the process exits, so nothing may wait.
 */
import { type Process, signal } from "./processes.ts";

/** Undoes one thing; runs at most once, while the process exits. */
type Undo = () => void;

const undoings = new Set<Undo>();
let listening = false;
/** Exit code of a process ended by a signal: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Runs `undo` when the process ends; the answered function takes that back, for who has tidied up in good order. Last
 * in, first out.
 */
export function atLast(undo: Undo): () => void {
	listen();
	undoings.add(undo);
	return () => undoings.delete(undo);
}

/** Kills the process at the end, unless it is gone by then. A frozen one is killed too. */
export const killAtLast = (target: Process): (() => void) => atLast(() => signal(target, "SIGKILL"));

function listen(): void {
	if (listening) return;
	listening = true;
	process.on("exit", () => {
		for (const undo of [...undoings].reverse()) {
			try {
				undo();
			} catch (error) {
				console.error(`the lab could not tidy up: ${String(error)}`);
			}
		}
	});
	for (const [name, code] of Object.entries(EXIT_CODES) as [NodeJS.Signals, number][]) {
		// first in line, so that a listener that leaves after its first signal is still counted
		process.prependListener(name, () => {
			// whoever listens besides us ends the run in good order; a second signal does not wait for it
			if (process.listenerCount(name) === 1 || stopping) process.exit(code);
			stopping = true;
		});
	}
}

let stopping = false;
