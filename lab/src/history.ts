/**
 * What happened, as it is written down: one JSON line each, all times milliseconds of one monotonic clock
 * (`performance.now()` of the lab). A checker that reads these lines knows everything a run knew, and no secret of any
 * key.
 */
import type { FaultRecord } from "./ground/types.ts";
import type { World } from "./world.ts";

/** First line: what the run is and what it began with. */
export interface Opening {
	readonly kind: "opening";
	readonly seed: number;
	readonly commit: string;
	readonly world: World;
}

/** A key as partners and operators know it, without its secret. */
export interface Actor {
	/** Name of the key; one of a kind in a run. */
	readonly name: string;
	readonly partner: string;
	readonly keyId: string;
	/** The brand it is bound to; null: unbound. */
	readonly brand: string | null;
	readonly shared: boolean;
	/** Units that it may hold at a time; null: no cap. */
	readonly cap: number | null;
}

export interface KeyLine extends Actor {
	readonly kind: "key";
	/** When its token was known. */
	readonly at: number;
}

/** One attempt at a request. */
export interface Exchange {
	readonly kind: "exchange";
	/** Operation of a workload. */
	readonly op: string;
	/** Name of the key that asked. */
	readonly actor: string;
	/** Which of the key's secrets was used: 0 is the first, each rotation gives the next. */
	readonly secret: number;
	readonly node: string;
	/** Attempts of one request carry its number. */
	readonly group: number;
	readonly start: number;
	readonly end: number;
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly body: unknown;
	/** The Idempotency-Key; absent: none. */
	readonly key?: string;
	/** Null: no whole answer came. */
	readonly status: number | null;
	readonly reply: unknown;
	/** Why no answer came; null when one did. */
	readonly trouble: string | null;
	/** True when nothing can have left this machine: nobody listened. */
	readonly unsent: boolean;
}

/** One command of an operator. */
export interface Errand {
	readonly kind: "errand";
	readonly op: string;
	readonly start: number;
	readonly end: number;
	readonly args: readonly string[];
	/** What the errand is about, in the words of its room: enough to look its effect up. */
	readonly about: unknown;
	/** Exit code; null: it was killed or never ended by itself. */
	readonly code: number | null;
	/** The document that it printed, without tokens. */
	readonly out: unknown;
	/** The last line that it said on standard error. */
	readonly trouble: string | null;
}

export interface FaultLine extends FaultRecord {
	readonly kind: "fault";
}

/** What the wall clock said: epoch milliseconds minus the monotonic ones. */
export interface ClockLine {
	readonly kind: "clock";
	readonly at: number;
	readonly ahead: number;
}

/** What the tables held at the end, read by the lab's own statements, room by room. */
export interface FactsLine {
	readonly kind: "facts";
	readonly room: string;
	/** When the reading began. */
	readonly at: number;
	/** When it had ended: holds may have ended meanwhile. */
	readonly until: number;
	readonly facts: unknown;
}

/** Something that a look into the tables saw while the run lasted, and that must never be so. */
export interface SightLine {
	readonly kind: "sight";
	readonly room: string;
	readonly at: number;
	readonly saw: unknown;
}

/** Something that what stands beside the service wrote down, in the words of its room. */
export interface RecordLine {
	readonly kind: "record";
	readonly room: string;
	readonly at: number;
	readonly note: unknown;
}

export type Line = Opening | KeyLine | Exchange | Errand | FaultLine | ClockLine | FactsLine | SightLine | RecordLine;

/**
 * What is known of an attempt. `done`: acknowledged. `refused`: told that nothing was done. `unknown`: 5xx, time-out,
 * cut connection: it happened once or not at all. `unsent`: it certainly did not happen.
 */
export type Outcome = "done" | "refused" | "unknown" | "unsent";

export function outcomeOf({ status, unsent }: Pick<Exchange, "status" | "unsent">): Outcome {
	if (status === null) return unsent ? "unsent" : "unknown";
	if (status >= 500) return "unknown";
	return status < 300 ? "done" : "refused";
}

/**
 * The same for a command. A failed one says in words alone whether anything was committed, and words are not believed
 * here: its room looks in the tables.
 */
export const outcomeOfErrand = ({ code }: Pick<Errand, "code">): "done" | "unknown" =>
	code === 0 ? "done" : "unknown";
