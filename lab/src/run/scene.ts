import type { Chance } from "../chance.ts";
import type { Client } from "../client.ts";
import type { Site } from "../ground/types.ts";
import type { Actor } from "../history.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Recorder } from "../recorder.ts";
import type { Credential } from "../rooms/keys/workload.ts";
import type { World } from "../world.ts";

/** How much partners and operators do. */
export interface Pace {
	/** Clients of each key, as a multiple of those of the world. */
	readonly crowd: number;
	/** Milliseconds between two requests of a client. */
	readonly thinkMs: number;
	/** Milliseconds between two commands of an operator: each start takes a good part of a second of processor time. */
	readonly choreMs: number;
}

/** Everything that partners, operators and faults of a run share. */
export interface Scene {
	readonly ground: Site;
	readonly pace: Pace;
	readonly world: World;
	readonly recorder: Recorder;
	readonly knows: Knowledge;
	readonly chance: Chance;
	/** One client for each node, by name. */
	readonly clients: ReadonlyMap<string, Client>;
	/** Keys that send requests in this run, guests included. */
	readonly actors: Actor[];
	/** Keys of the partners. */
	readonly partners: readonly Credential[];
	/** Folder for the files of commands. */
	readonly folder: string;
	/** Set when nothing new may begin. */
	over: boolean;
}
