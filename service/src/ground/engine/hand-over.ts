import type pg from "pg";
import type { Database } from "../pg/connect.ts";

/** Connections that pass from one use to the next without a detour through the pool. */
export interface HandOver {
	/** At once when one was given back in this same turn of the event loop, else from the pool. */
	take(): pg.PoolClient | Promise<pg.PoolClient>;
	/** Not usable: it is closed. */
	giveBack(client: pg.PoolClient, usable: boolean): void;
}

/**
 * The pool answers a turn later, behind everything that is ready to run. Whoever goes on with the same connection
 * begins at once, and the server works while the rest is done. What nobody takes in this turn goes back to the pool.
 */
export function createHandOver(db: Database): HandOver {
	const free: pg.PoolClient[] = [];
	const returnFree = (): void => {
		for (const client of free.splice(0)) client.release();
	};
	return {
		take: () => free.pop() ?? db.take(),
		giveBack(client, usable) {
			if (!usable) return client.release(true);
			if (free.push(client) === 1) setImmediate(returnFree);
		},
	};
}
