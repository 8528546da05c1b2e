/**
 * The place in which a run of the lab happens, and the faults that befall it. Partners and operators know a Ground only
 * by these names. All times are milliseconds of `performance.now()` in the lab's own process: one monotonic clock for
 * requests and faults.
 */
import type pg from "pg";
import type { Chance } from "../chance.ts";
import type { Works } from "./works.ts";

/** A process of the service, with a proxy in front of it. */
export interface LabNode {
	readonly name: string;
	/**
	 * Address of the partner API as partners use it: the proxy's, `http://127.0.0.1:port`. It stays the same over
	 * restarts.
	 */
	readonly api: string;
	/** Address of the feed of certificates, without a proxy. */
	readonly coa: string;
	/**
	 * The address of the API without the proxy: for looks at readiness and for the questions that the checker asks at
	 * the end.
	 */
	readonly direct: string;
	/** Process id of the node as it runs now; null while it does not run. */
	pid(): number | null;
	/** The file that the node logs to, over all its lives. */
	readonly log: string;
}

export interface Ground {
	readonly nodes: readonly LabNode[];
	/**
	 * A pool of connections straight to the server that takes the writes now, without a proxy. After a promotion it is
	 * another.
	 */
	admin(): pg.Pool;
	/**
	 * Environment for `holdfast` commands: the same database (through a proxy, so that faults meet operators too) and
	 * key ring.
	 */
	readonly operatorEnv: NodeJS.ProcessEnv;
	/** An empty database beside the service's, and the environment for `holdfast` commands on it, straight. */
	openDatabase(name: string): Promise<NodeJS.ProcessEnv>;
	dropDatabase(name: string): Promise<void>;
	/** The file `bin/holdfast.js` that nodes and commands are started with. */
	readonly launcher: string;
	/** Rows that the writer of the foreign database has committed so far. */
	foreignWrites(): number;
	/**
	 * Resolves when every node answers ready and the server takes writes. Throws after `withinMs`, saying what is
	 * missing.
	 */
	whole(withinMs: number): Promise<void>;
	/** The machinery behind, for faults and trials alone. */
	readonly works: Works;
	/** Ends every process that the ground started, and removes its data; the logs stay. */
	stop(): Promise<void>;
}

export interface GroundOptions {
	/** A synchronous standby beside the primary, so that a promotion can be tried. */
	readonly standby: boolean;
	/**
	 * Disks of the lab's own under the servers, so that they can be filled; where mounting is not permitted there are
	 * none.
	 */
	readonly disk?: boolean;
	/** A clock of the servers' own, so that it can be set; where the library is not installed there is none. */
	readonly clock?: boolean;
	/** How many nodes; 2 when absent. */
	readonly nodes?: number;
	/** Further settings of the nodes, HOLDFAST_*. */
	readonly settings?: NodeJS.ProcessEnv;
	/** The folder of the service that nodes and commands run: `service/`, or a copy of it with a planted bug. */
	readonly serviceFolder: string;
	/** Where data and logs go: an empty folder of this run. */
	readonly folder: string;
	readonly say: (line: string) => void;
}

/** What a fault may aim at: a row of the lab's world, with the names that the database knows it by. */
export interface Targets {
	/** SKUs of live stock, with the formulas that one kit is made of. */
	readonly skus: readonly { readonly sku: string; readonly formulaIds: readonly string[] }[];
	/** Keys of partners (`api_key.key_id`). */
	readonly keyIds: readonly string[];
}

/** What is known about a fault when it is over. */
export interface FaultRecord {
	/**
	 * Kind: the name of the fault; `missed` when there was nothing to hit, so that it does not count as one of its
	 * kind.
	 */
	readonly fault: string;
	/** In one line, what was hit: for the history and the report. */
	readonly what: string;
	/** From the first moment of the fault until the ground was whole again, ms. */
	readonly began: number;
	readonly ended: number;
	/** SKUs whose requests may have to wait because of this fault; "all" when the fault hits a whole node or server. */
	readonly touched: "all" | readonly string[];
	/** How far the database's clock may have been from the lab's while the fault lasted, ms; absent: it was right. */
	readonly clockOff?: { readonly least: number; readonly most: number };
}

export interface FaultContext {
	readonly ground: Ground;
	readonly chance: Chance;
	readonly targets: Targets;
	/** Aborted when the run ends early: a fault then ends as soon as it can, and leaves the ground whole. */
	readonly stopped: AbortSignal;
}

/** One kind of fault. */
export interface Fault {
	readonly name: string;
	/** One sentence: what is done, and what it stands for. */
	readonly says: string;
	/** It needs a ground with a synchronous standby. */
	readonly needsStandby?: true;
	/** No other fault may be under way at the same time: it replaces or restarts what the others hold on to. */
	readonly alone?: true;
	/**
	 * Why this ground cannot offer it; null: it can. A kind that is not offered is reported as such, never passed over.
	 */
	unavailable?(ground: Ground): string | null;
	/**
	 * The most milliseconds that one takes, recovery included: it is not begun later than that before the end of the
	 * run.
	 */
	readonly longestMs: number;
	/**
	 * Does it, waits until its effect is over and the ground is whole. Throws only when the ground could not be made
	 * whole.
	 */
	inject(context: FaultContext): Promise<FaultRecord>;
}
