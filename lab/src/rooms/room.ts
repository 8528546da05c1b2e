/** A room's part of the lab: a workload, and an oracle that judges the answers to it. */
import type pg from "pg";
import type { Chance } from "../chance.ts";
import type { Case } from "../check/case.ts";
import type { Finding, Subject } from "../check/findings.ts";
import type { Actor, Errand, Exchange, Outcome } from "../history.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Scene } from "../run/scene.ts";
import type { World } from "../world.ts";

/** A request to send. */
export interface Ask {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly body?: unknown;
	/** The Idempotency-Key header. */
	readonly key?: string;
	/** Whether the contract allows the request to be repeated when its outcome is unknown. */
	readonly repeatable: boolean;
	/** Called with the final answer; `unknown` when every attempt had that outcome. */
	learn?(answer: Exchange, outcome: Outcome): void;
}

/** What a workload may use to build a request. */
export interface Situation {
	readonly world: World;
	readonly actor: Actor;
	/** All keys, including the requesting one. */
	readonly actors: readonly Actor[];
	readonly knows: Knowledge;
	readonly chance: Chance;
	/** Milliseconds of the lab's clock. */
	readonly now: number;
}

/** An operation of partners. */
export interface Operation {
	readonly name: string;
	/** Its frequency relative to the others. */
	readonly weight: number;
	/** Minimum share of its requests outside faults that must succeed, from 0 to 1. */
	readonly leastDone: number;
	/** The request; null if there is nothing of this kind to do now. */
	build(situation: Situation): Ask | null;
}

/** A command of an operator. */
export interface Command {
	readonly args: readonly string[];
	/** A document or a text that is written to a file; the file's path becomes the last argument. */
	readonly file?: unknown;
	/** Recorded in the history: enough to look the effect up. */
	readonly about: unknown;
	/** Called with the printed document, tokens included. */
	learn?(errand: Errand, printed: unknown): void;
}

/** A kind of command that operators run. */
export interface Chore {
	readonly name: string;
	readonly weight: number;
	build(situation: Omit<Situation, "actor">): Command | null;
}

/** A request through the API after the run, and a check of its answer that returns null if it is correct. */
export interface Probe {
	readonly actor: string;
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly body?: unknown;
	/** The Idempotency-Key header. */
	readonly key?: string;
	/** Urgent probes are sent first when there are too many. */
	readonly urgent: boolean;
	judge(status: number, reply: unknown): Finding | null;
}

/** Counts by subject and state. */
export type Tally = Readonly<Partial<Record<Subject, Readonly<Record<string, number>>>>>;

/** Finds states that last only for a moment and must never occur. */
export interface Watch {
	/** Milliseconds between two checks. */
	readonly everyMs: number;
	/** Starts a series of checks. Each returns the violations it found. */
	begin(): (db: pg.Pool) => Promise<readonly unknown[]>;
}

/** Something that a run must have done often enough to prove anything. */
export interface Exercise {
	readonly what: string;
	readonly count: number;
	/** Minimum count per minute; a run too short for a single one needs none, unless `always` requires it. */
	readonly perMinute: number;
	/** Minimum count of a run of any length; absent: none. */
	readonly always?: number;
}

export interface Oracle {
	/**
	 * Reads the tables by the lab's own statements when the run is over and quiet. The result goes into the history.
	 */
	lookUp(db: pg.Pool): Promise<unknown>;
	/** Applies acknowledged and unknown answers to the shelves. Runs before any oracle judges. */
	settle(on: Case): void;
	/** The room's findings. */
	judge(on: Case): Finding[];
	/** The final requests through the API. */
	probes(on: Case): Probe[];
	/** Repeated checks of the tables during the run, whose results go into the history. */
	readonly watch?: Watch;
	/** The final counts for the report, by subject and state. */
	tally?(on: Case): Tally;
	/** What a run must have done, and how often it did it. */
	exercised?(on: Case): readonly Exercise[];
}

/**
 * Servers or clients of the lab that run beside the service, such as receivers of webhooks, which fail in their own
 * ways.
 */
export interface Neighbours {
	/** Stops all failures; resolves when the work that waited for this is done, or after a time limit. */
	calm(): Promise<void>;
	close(): Promise<void>;
}

export interface Room {
	readonly name: string;
	readonly operations: readonly Operation[];
	readonly chores: readonly Chore[];
	readonly oracle: Oracle;
	/** Opens the room's neighbours before the work begins; they may write records into the history. */
	open?(scene: Scene): Promise<Neighbours>;
}
