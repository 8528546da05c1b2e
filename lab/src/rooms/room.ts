/**
 * What a room of the service gives to the lab: a workload, and an oracle that judges what the workload was answered.
 */
import type pg from "pg";
import type { Chance } from "../chance.ts";
import type { Case } from "../check/case.ts";
import type { Finding, Subject } from "../check/findings.ts";
import type { Actor, Errand, Exchange, Outcome } from "../history.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Scene } from "../run/scene.ts";
import type { World } from "../world.ts";

/** A request that is to be sent. */
export interface Ask {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly body?: unknown;
	/** Sent as Idempotency-Key. */
	readonly key?: string;
	/** May the request be sent again when nobody knows what became of it? As the contract says. */
	readonly repeatable: boolean;
	/** Told what was answered in the end; `unknown` when every attempt ended so. */
	learn?(answer: Exchange, outcome: Outcome): void;
}

/** What a workload may look at to build a request. */
export interface Situation {
	readonly world: World;
	readonly actor: Actor;
	/** Every key there is, the asking one included. */
	readonly actors: readonly Actor[];
	readonly knows: Knowledge;
	readonly chance: Chance;
	/** Milliseconds of the lab's clock. */
	readonly now: number;
}

/** Something that partners do. */
export interface Operation {
	readonly name: string;
	/** How often it is done, against the others. */
	readonly weight: number;
	/** Of the requests that no fault touched: the least share that is done, from 0 to 1. */
	readonly leastDone: number;
	/** The request; null when there is nothing of the kind to do now. */
	build(situation: Situation): Ask | null;
}

/** A command that an operator gives. */
export interface Command {
	readonly args: readonly string[];
	/** A document, or a text, that is written to a file, whose path ends the command. */
	readonly file?: unknown;
	/** Written to the history: enough to look the effect up. */
	readonly about: unknown;
	/** Told what was printed, tokens included. */
	learn?(errand: Errand, printed: unknown): void;
}

/** Something that operators do. */
export interface Chore {
	readonly name: string;
	readonly weight: number;
	build(situation: Omit<Situation, "actor">): Command | null;
}

/** A question asked through the API when the run is over, and what is wrong with its answer; null: nothing. */
export interface Probe {
	readonly actor: string;
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly body?: unknown;
	/** Sent as Idempotency-Key. */
	readonly key?: string;
	/** More important ones are asked first when there are too many. */
	readonly urgent: boolean;
	judge(status: number, reply: unknown): Finding | null;
}

/** Counts by kind of thing, and of each kind by state. */
export type Tally = Readonly<Partial<Record<Subject, Readonly<Record<string, number>>>>>;

/** Sees what is so for a moment alone, and must never be so. */
export interface Watch {
	/** Milliseconds between two looks. */
	readonly everyMs: number;
	/** A new series of looks. Each answers what it saw that must not be: nothing, if all is well. */
	begin(): (db: pg.Pool) => Promise<readonly unknown[]>;
}

/** Something that a run must have done often enough to prove anything. */
export interface Exercise {
	readonly what: string;
	readonly count: number;
	/** The least that a minute must have; a run shorter than one of them takes must have none, */
	readonly perMinute: number;
	/** unless it must have so many all the same. */
	readonly always?: number;
}

export interface Oracle {
	/**
	 * What the tables say when the run is over and everything is quiet; by statements of the lab's own. Goes into the
	 * history.
	 */
	lookUp(db: pg.Pool): Promise<unknown>;
	/** Puts on the shelves what acknowledged and unknown answers mean. Before any oracle judges. */
	settle(on: Case): void;
	/** What was wrong. */
	judge(on: Case): Finding[];
	/** What is asked again through the API. */
	probes(on: Case): Probe[];
	/** A look into the tables that is taken again and again while the run lasts; what it sees goes into the history. */
	readonly watch?: Watch;
	/** What there is at the end, for the report: counts by kind of thing, and of each kind by state. */
	tally?(on: Case): Tally;
	/** How often what must be done was done. */
	exercised?(on: Case): readonly Exercise[];
}

/** What stands beside the service and belongs to the lab, as receivers of webhooks do: it fails in ways of its own. */
export interface Neighbours {
	/** Nothing fails any more; resolves when what waited for that is done, or was waited for long enough. */
	calm(): Promise<void>;
	close(): Promise<void>;
}

export interface Room {
	readonly name: string;
	readonly operations: readonly Operation[];
	readonly chores: readonly Chore[];
	readonly oracle: Oracle;
	/** Opens what the room needs beside the service, before anybody works; it may write records into the history. */
	open?(scene: Scene): Promise<Neighbours>;
}
