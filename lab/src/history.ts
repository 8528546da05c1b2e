/**
 * The recorded history of a run: one JSON line for each event, all times in milliseconds of one monotonic clock
 * (`performance.now()` of the lab). The lines contain everything that a checker needs, and no secret of any key.
 */
import type { FaultRecord } from "./ground/types.ts";
import type { World } from "./world.ts";

/** First line: the run and its initial state. */
export interface Opening {
	readonly kind: "opening";
	readonly seed: number;
	readonly commit: string;
	readonly world: World;
}

/** A key as partners and operators see it, without its secret. */
export interface Actor {
	/** Name of the key, unique in a run. */
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
	/** When its token became known. */
	readonly at: number;
}

/** One attempt at a request. */
export interface Exchange {
	readonly kind: "exchange";
	/** The workload's name of the operation. */
	readonly op: string;
	/** Name of the requesting key. */
	readonly actor: string;
	/** Which of the key's secrets was used: 0 is the first, each rotation gives the next. */
	readonly secret: number;
	readonly node: string;
	/** The same number for all attempts of one request. */
	readonly group: number;
	readonly start: number;
	readonly end: number;
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly body: unknown;
	/** The Idempotency-Key; absent: none. */
	readonly key?: string;
	/** Null: no complete answer came. */
	readonly status: number | null;
	readonly reply: unknown;
	/** Why no answer came; null when one did. */
	readonly trouble: string | null;
	/** True when the connection was refused, so that nothing can have left this machine. */
	readonly unsent: boolean;
}

/** One command of an operator. */
export interface Errand {
	readonly kind: "errand";
	readonly op: string;
	readonly start: number;
	readonly end: number;
	readonly args: readonly string[];
	/** The subject of the command, in a form of its room: enough to look its effect up. */
	readonly about: unknown;
	/** Exit code; null: it was killed or never ended by itself. */
	readonly code: number | null;
	/** The printed document, without tokens. */
	readonly out: unknown;
	/** The last line on standard error. */
	readonly trouble: string | null;
}

export interface FaultLine extends FaultRecord {
	readonly kind: "fault";
}

/** The offset of the wall clock: epoch milliseconds minus the monotonic ones. */
export interface ClockLine {
	readonly kind: "clock";
	readonly at: number;
	readonly ahead: number;
}

/** The content of the tables at the end, read by the lab's own statements, room by room. */
export interface FactsLine {
	readonly kind: "facts";
	readonly room: string;
	/** When the reading began. */
	readonly at: number;
	/** When it ended: holds may have ended in between. */
	readonly until: number;
	readonly facts: unknown;
}

/** A forbidden state that a room's watch saw in the tables during the run. */
export interface SightLine {
	readonly kind: "sight";
	readonly room: string;
	readonly at: number;
	readonly saw: unknown;
}

/** A record of a room's neighbour, in a form of the room. */
export interface RecordLine {
	readonly kind: "record";
	readonly room: string;
	readonly at: number;
	readonly note: unknown;
}

export type Line = Opening | KeyLine | Exchange | Errand | FaultLine | ClockLine | FactsLine | SightLine | RecordLine;

/**
 * The outcome of an attempt. `done`: acknowledged. `refused`: the answer says that nothing was done. `unknown`: 5xx,
 * time-out, cut connection: it happened once or not at all. `unsent`: it certainly did not happen.
 */
export type Outcome = "done" | "refused" | "unknown" | "unsent";

export function outcomeOf({ status, unsent }: Pick<Exchange, "status" | "unsent">): Outcome {
	if (status === null) return unsent ? "unsent" : "unknown";
	if (status >= 500) return "unknown";
	return status < 300 ? "done" : "refused";
}

/**
 * The outcome of a command. A failed command says only in prose whether anything was committed; that is not trusted,
 * and its room checks the tables.
 */
export const outcomeOfErrand = ({ code }: Pick<Errand, "code">): "done" | "unknown" =>
	code === 0 ? "done" : "unknown";
