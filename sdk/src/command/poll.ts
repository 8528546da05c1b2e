import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError } from "../client/errors.ts";
import { failureOf } from "./failure.ts";
import { untilInterrupted } from "./interrupt.ts";
import { instant, tell } from "./terminal.ts";

/** Codes after which a later read may succeed: a key is refused for ten minutes in a drill, and a service restarts. */
const PASSING: ReadonlySet<string> = new Set(["unauthorized", "connection_lost", "internal_error", "rate_limited"]);

/**
 * Reads repeatedly, until `read` says that it is done or the program is asked to end. Once a read has succeeded, or if
 * `isPatient`, a failure that may be temporary is reported once, and the read is repeated.
 */
export async function poll(
	everyMs: number,
	isPatient: boolean,
	read: (signal: AbortSignal) => Promise<"done" | "again">,
): Promise<void> {
	const interrupted = untilInterrupted();
	let mayFail = isPatient;
	let failing: string | null = null;
	while (!interrupted.aborted) {
		try {
			if ((await read(interrupted)) === "done") return;
			if (failing !== null) tell(`${instant(new Date())} The service answers again.`);
			[mayFail, failing] = [true, null];
		} catch (error) {
			if (interrupted.aborted) return;
			if (!mayFail || !(error instanceof HoldfastError) || !PASSING.has(error.code)) throw error;
			if (failing !== error.code) tell(`${instant(new Date())} ${failureOf(error).message}`);
			failing = error.code;
		}
		await sleep(everyMs, undefined, { signal: interrupted }).catch(() => undefined);
	}
}
