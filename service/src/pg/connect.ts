import type { Socket } from "node:net";
import pg from "pg";

/** Anything a statement can be sent to: a pool, a client, a transaction. */
export interface Query {
	query<R extends object = Record<string, unknown>>(
		text: string,
		values?: unknown[],
	): Promise<{ rows: R[]; rowCount: number | null; command: string }>;
}

export interface Database extends Query {
	readonly pool: pg.Pool;
	close(): Promise<void>;
}

/** Connections a pool opens at most. */
const DEFAULT_POOL_SIZE = 4;
/** Milliseconds to wait for a connection before giving up. */
const CONNECT_TIMEOUT_MS = 5_000;

const parsers = new Map<number, (text: string) => unknown>([
	[pg.types.builtins.INT8, parseInt8],
	[pg.types.builtins.DATE, (text) => text], // a day has no time zone: it stays YYYY-MM-DD
]);
const types = {
	getTypeParser: ((oid: number, format?: "text" | "binary") =>
		parsers.get(oid) ?? pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

export interface DatabaseOptions {
	readonly max?: number;
	/** Shown in pg_stat_activity. */
	readonly name?: string;
	/**
	 * Plan by index and nested loop whatever the statistics say. For the short set-based statements of the hot path: a young,
	 * empty table must not fix a sequential scan that stays when it has grown.
	 */
	readonly indexPlansOnly?: boolean;
	readonly onError?: (error: Error) => void;
}

const INDEX_PLANS_ONLY = [
	"enable_seqscan=off",
	"enable_hashjoin=off",
	"enable_mergejoin=off",
	"enable_memoize=off", // rows are locked in the order the outer side gives
	"jit=off",
	"plan_cache_mode=force_generic_plan",
	"lock_timeout=5s", // an operator's long transaction on the same rows is answered with `retry`, not with silence
];

/** Opens a pool of pipelining connections. Nothing is connected until the first query. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
	const settings = ["timezone=UTC", "default_transaction_isolation=read\\ committed"];
	if (options.indexPlansOnly) settings.push(...INDEX_PLANS_ONLY);
	const pool = new pg.Pool({
		connectionString: url,
		max: options.max ?? DEFAULT_POOL_SIZE,
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
		idleTimeoutMillis: 0, // connections are kept: a cold one costs a lone request milliseconds
		application_name: options.name ?? "holdfast",
		options: settings.map((setting) => `-c ${setting}`).join(" "),
		types,
		// statements queued together go out in one write
		pipeline: true,
	});
	// a connection in use dies as an event too, and an event that nobody hears ends the process; its query fails all the same
	pool.on("connect", (client) => client.on("error", () => undefined));
	pool.on("error", (error) => options.onError?.(error)); // an idle connection died; the pool replaces it
	return {
		pool,
		query: (text, values) => pool.query(text, values) as never,
		close: () => pool.end(),
	};
}

/**
 * Sends every statement that `send` queues on a transaction in one write: one system call here, one wake-up there. They are
 * queued while `send` runs, so it must not await.
 */
export function inOneWrite<T>(tx: Query, send: () => T): T {
	const { connection } = tx as Partial<{ connection: { stream: Socket } }>;
	connection?.stream.cork();
	try {
		return send();
	} finally {
		connection?.stream.uncork();
	}
}

function parseInt8(text: string): number {
	const value = Number(text);
	if (!Number.isSafeInteger(value)) throw new Error(`bug: ${text} does not fit a safe integer`);
	return value;
}
