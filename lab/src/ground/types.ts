/**
 * The environment of a run, and its faults. Partners and operators use it only through the interface `Site`. All
 * times are milliseconds of `performance.now()` in the lab's own process: one monotonic clock for requests and faults.
 */
import type pg from "pg";
import type { Chance } from "../chance.ts";
import type { Binaries } from "./binaries.ts";
import type { Works } from "./works.ts";

/** A process of the service behind a proxy. */
export interface LabNode {
	readonly name: string;
	/**
	 * Address of the partner API for partners: the proxy's, `http://127.0.0.1:port`. It stays the same over restarts.
	 */
	readonly api: string;
	/** Address of the certificate feed, without a proxy. */
	readonly coa: string;
	/** The address of the API without the proxy, for readiness checks and for the checker's final requests. */
	readonly direct: string;
	/** Current process id of the node; null if it does not run. */
	pid(): number | null;
	/** The log file of the node, over all restarts. */
	readonly log: string;
}

export interface Site {
	readonly nodes: readonly LabNode[];
	/**
	 * A pool of direct connections to the server that currently accepts writes. After a promotion it is another one.
	 */
	admin(): pg.Pool;
	/**
	 * Environment for a `holdfast` command: a token, and the address that partners use, of each node in turn, so that
	 * faults hit operators too.
	 */
	operatorEnv(): NodeJS.ProcessEnv;
	/**
	 * Creates an empty database beside the service's; returns the environment for `holdfast` commands on it, without a
	 * proxy.
	 */
	openDatabase(name: string): Promise<NodeJS.ProcessEnv>;
	dropDatabase(name: string): Promise<void>;
	/** The `bin/holdfast.js` that starts nodes and commands. */
	readonly launcher: string;
	/** The address of the lab's own receivers of webhooks, which the nodes can reach and are allowed to post to. */
	readonly receivers: string;
	/** Rows that the foreign writer has committed so far. */
	foreignWrites(): number;
	/**
	 * Resolves when every node is ready and the server accepts writes. Throws after `withinMs`, naming the obstacle.
	 */
	whole(withinMs: number): Promise<void>;
	/** Ends every process that the ground started and removes its data; the logs stay. */
	stop(): Promise<void>;
}

/** A site of processes on this machine, with proxies on every connection. */
export interface Ground extends Site {
	/** The servers, proxies and disks, only for faults and trials. */
	readonly works: Works;
}

export interface GroundOptions {
	/** Runs a synchronous standby beside the primary, for promotions. */
	readonly standby: boolean;
	/** Puts the servers on disks of the lab's own, which can be filled; without permission to mount there are none. */
	readonly disk?: boolean;
	/** Gives the servers a clock of their own, which can be changed; without the library there is none. */
	readonly clock?: boolean;
	/** Another PostgreSQL than the one from npm, with further lines of its `postgresql.conf`. */
	readonly postgres?: { readonly binaries: Binaries; readonly settings: string };
	/** Number of nodes; 2 by default. */
	readonly nodes?: number;
	/** Further HOLDFAST_* settings of the nodes. */
	readonly settings?: NodeJS.ProcessEnv;
	/** The folder of the service that nodes and commands run: `service/`, or a copy with a planted bug. */
	readonly serviceFolder: string;
	/** An empty folder of this run for data and logs. */
	readonly folder: string;
	readonly say: (line: string) => void;
}

/** Rows of the lab's world that faults may aim at, with their names in the database. */
export interface Targets {
	/** SKUs of live stock, with the formulas of one kit. */
	readonly skus: readonly { readonly sku: string; readonly formulaIds: readonly string[] }[];
	/** Keys of partners (`api_key.key_id`). */
	readonly keyIds: readonly string[];
}

/** The record of a fault when it is over. */
export interface FaultRecord {
	/** The name of the fault, or `missed` if there was nothing to hit, so that it does not count as one of its kind. */
	readonly fault: string;
	/** One line for history and report: what was hit. */
	readonly what: string;
	/** From the first moment of the fault until the ground was healthy again, ms. */
	readonly began: number;
	readonly ended: number;
	/** How long its cause lasted, ms; absent: it was over at once, or nobody asks. */
	readonly lastedMs?: number;
	/** SKUs whose requests this fault may delay; "all" when it hits a whole node or server. */
	readonly touched: "all" | readonly string[];
	/** How far the database's clock may have been from the lab's during the fault, ms; absent: it was right. */
	readonly clockOff?: { readonly least: number; readonly most: number };
}

export interface FaultContext<S extends Site = Ground> {
	readonly ground: S;
	readonly chance: Chance;
	readonly targets: Targets;
	/** Aborted when the run ends early: the fault then ends as soon as it can and leaves the ground healthy. */
	readonly stopped: AbortSignal;
}

/** One kind of fault. */
export interface Fault<S extends Site = Ground> {
	readonly name: string;
	/** One sentence: the action, and the real event that it represents. */
	readonly says: string;
	/** Needs a ground with a synchronous standby. */
	readonly needsStandby?: true;
	/** No other fault may run at the same time: this one replaces or restarts what the others use. */
	readonly alone?: true;
	/**
	 * Why this ground cannot offer it; null: it can. A kind that is not offered is reported, never silently skipped.
	 */
	unavailable?(ground: S): string | null;
	/**
	 * Maximum duration in milliseconds, recovery included: the fault begins at least that long before the end of
	 * the run.
	 */
	readonly longestMs: number;
	/**
	 * Runs the fault and waits until its effect is over and the ground is healthy. Throws only if the ground cannot be
	 * restored.
	 */
	inject(context: FaultContext<S>): Promise<FaultRecord>;
}
