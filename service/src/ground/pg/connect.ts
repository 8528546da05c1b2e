import pg from "pg";
import { withVerifiedTls } from "./client.ts";
import { isConnectionLoss, sqlStateOf, understood } from "./faults.ts";
import { collectStatements } from "./round-trips.ts";
import { prepareSession, type SessionOptions } from "./session.ts";

/** Anything that runs a statement: a pool, a client, a transaction. */
export interface Query {
	query<R extends object = Record<string, unknown>>(
		text: string,
		values?: unknown[],
	): Promise<{ rows: R[]; rowCount: number | null; command: string }>;
}

export interface Database extends Query {
	readonly pool: pg.Pool;
	/** A connection of the pool; return it with `release`. @throws ConnectionLost, or PoolBusy if all are in use */
	take(): Promise<pg.PoolClient>;
	/** Runs `work`, which must leave no transaction open, on one connection. */
	onOne<T>(work: (client: Query) => Promise<T>): Promise<T>;
	close(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 2_500;
/** Milliseconds of silence before the kernel probes the other side. */
const KEEP_ALIVE_AFTER_MS = 2_000;

const parsers = new Map<number, (text: string) => unknown>([
	[pg.types.builtins.INT8, parseInt8],
	[pg.types.builtins.DATE, (text) => text], // a date has no time zone: it stays YYYY-MM-DD
]);
const types = {
	getTypeParser: ((oid: number, format?: "text" | "binary") =>
		parsers.get(oid) ?? pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

export interface DatabaseOptions extends SessionOptions {
	readonly max?: number;
	/** Shown in pg_stat_activity. */
	readonly name?: string;
	/**
	 * Milliseconds within which a statement must be answered. After that its connection is destroyed, and every
	 * statement pending on it fails with ConnectionLost. Absent: no limit, for statements that may take minutes.
	 */
	readonly answerWithinMs?: number;
	/** Milliseconds to wait for a free connection of the pool, or for a new one. Absent: CONNECT_TIMEOUT_MS. */
	readonly connectWithinMs?: number;
	readonly onError?: (error: Error) => void;
}

/** Opens a pool of pipelining connections, which connects at the first query. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
	const pool = new pg.Pool({
		connectionString: withVerifiedTls(url),
		max: options.max ?? DEFAULT_POOL_SIZE,
		connectionTimeoutMillis: options.connectWithinMs ?? CONNECT_TIMEOUT_MS,
		idleTimeoutMillis: 0, // connections are kept: opening one costs a single request milliseconds
		application_name: options.name ?? "holdfast",
		keepAlive: true,
		keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
		types,
		// statements queued together go out in one write
		pipeline: true,
		...(options.answerWithinMs === undefined ? {} : { query_timeout: options.answerWithinMs }),
		// the pool awaits this promise, although its type does not say so
		onConnect: ((client: pg.PoolClient) => welcome(client, options)) as never,
	});
	pool.on("error", (error) => options.onError?.(error)); // an idle connection died; the pool replaces it
	const take = (): Promise<pg.PoolClient> =>
		pool.connect().catch((error: unknown) => {
			throw understood(error);
		});
	const onOne = async <T>(work: (client: Query) => Promise<T>): Promise<T> => {
		const client = await take();
		let lost = false;
		try {
			return await work(client as unknown as Query);
		} catch (error) {
			lost = isConnectionLoss(error);
			throw error;
		} finally {
			client.release(lost);
		}
	};
	return {
		pool,
		take,
		onOne,
		query: (text, values) => onOne((client) => client.query(text, values)) as never,
		close: () => pool.end(),
	};
}

async function welcome(client: pg.PoolClient, options: DatabaseOptions): Promise<void> {
	// a lost connection also raises an event, and an unhandled one ends the process; its query fails anyway
	client.on("error", () => undefined);
	collectStatements(client);
	understandErrors(client);
	await prepareSession(client as unknown as Query, options);
}

const IN_FAILED_TRANSACTION = "25P02";

/**
 * Makes every statement of a connection fail with the root cause. After the first failure in a transaction, the server
 * answers the statements sent with it "current transaction is aborted"; they fail with the first error instead. An
 * error without a SQLSTATE becomes ConnectionLost.
 */
function understandErrors(client: pg.ClientBase): void {
	const send = client.query.bind(client) as (...call: unknown[]) => unknown;
	let first: Error | null = null;
	const believed = (error: unknown): never => {
		if (first === null || sqlStateOf(error) !== IN_FAILED_TRANSACTION) first = understood(error);
		throw first;
	};
	client.query = ((...call: unknown[]) => {
		if (textOf(call[0]).startsWith("begin")) first = null;
		const sent = send(...call);
		return sent instanceof Promise ? sent.catch(believed) : sent;
	}) as typeof client.query;
}

const textOf = (query: unknown): string => (typeof query === "string" ? query : (query as { text: string }).text);

function parseInt8(text: string): number {
	const value = Number(text);
	if (!Number.isSafeInteger(value)) throw new Error(`bug: ${text} does not fit a safe integer`);
	return value;
}
