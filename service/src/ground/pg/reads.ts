import type { Query } from "./connect.ts";
import type { Unfit } from "./judge-replica.ts";

/** A source for work that needs its own connection, such as a backup. */
export interface ReadSource {
	readonly url: string;
	/** Confirms in the work's own snapshot that the replica may answer. @throws ReplicaUnfit */
	confirm(snapshot: Query): Promise<void>;
}

export interface ReplicaState {
	/** Why the primary answers; null: the replica does. */
	readonly unfit: Unfit | null;
	/** Age in milliseconds of the state that the replica showed last; null: it showed none that is known. */
	readonly lagMs: number | null;
	/** Number of reads by outcome: `replica`, or the reason why the primary answered. */
	readonly counts: ReadonlyMap<Unfit | "replica", number>;
}

/** Where the lists of one owner are read. */
export interface ListSource extends Query {
	snapshot<T>(work: (tx: Query) => Promise<T>): Promise<T>;
}

/** Answers reads on which no decision depends: from the replica if it is fit, otherwise from the primary. */
export interface Reads {
	/**
	 * Runs `work`, which only reads and may be run twice. On the replica, all of it is one snapshot. No owner is shown
	 * an earlier state than before.
	 */
	read<T>(owners: readonly string[], work: (on: Query) => Promise<T>): Promise<T>;
	/** The same for the lists of one owner, statement by statement. */
	forOwner(owner: string): ListSource;
	/** From now on, this owner sees what is committed at this moment. */
	follow(owner: string): void;
	/** The replica's address for one owner; null: the primary must answer. */
	source(owner: string): ReadSource | null;
	/** Writes a beat and looks at the replica. Without it, or if it fails, the primary soon answers everything. */
	look(): Promise<void>;
	/** Null: there is no replica. */
	state(): ReplicaState | null;
	close(): Promise<void>;
}

/** The connections whose server is a replica. */
export const REPLICAS = new WeakSet<object>();

/** Whether this is the connection to a replica that `read` passes to its work. */
export const isOnReplica = (on: Query): boolean => REPLICAS.has(on);
