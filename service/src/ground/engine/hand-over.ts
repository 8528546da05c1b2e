import type pg from "pg";
import type { Database } from "../pg/connect.ts";

/** Connections that pass directly from one use to the next, bypassing the pool. */
export interface HandOver {
	/** Returns at once if one was given back in this turn of the event loop; otherwise takes one from the pool. */
	take(): pg.PoolClient | Promise<pg.PoolClient>;
	/** An unusable connection is closed. */
	giveBack(client: pg.PoolClient, usable: boolean): void;
}

/**
 * The pool hands out a connection one turn later, after everything that is ready to run. A connection passed on
 * directly is used immediately, so PostgreSQL works while the rest runs. Connections not reused in this turn go back
 * to the pool.
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
