import pg from "pg";
import { monotonicMs, wait } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { type Cluster, type ClusterOptions, clusterUrl, prepareCluster } from "./embedded-cluster.ts";
import { ensurePostmaster, type Postmaster, runningPostmaster, stopPostmaster } from "./embedded-server.ts";

/** Advisory lock (shared) of everyone who uses the embedded server: who can take it alone may stop the server. */
const USERS_LOCK = 4_870_001;
/** Advisory lock of the one service of a data folder. */
const SERVICE_LOCK = 4_870_002;
/** Milliseconds that the session of a service killed a moment ago may need to end. */
const FIRST_SERVICE_GRACE_MS = 1_500;
/** Milliseconds between two attempts to reach the server. */
const RETRY_EVERY_MS = 50;
/** Milliseconds to go on trying before the first attachment is called a failure. */
const ATTACH_TIMEOUT_MS = 60_000;
/** Milliseconds between two attempts to bring a lost server back. */
const REVIVE_EVERY_MS = 1_000;

export interface EmbeddedOptions extends ClusterOptions {
	/** One service per data folder; any number of tools beside it. */
	readonly role: "service" | "tool";
	/** PostgreSQL settings that win over all others, durability included: for tests that are not about durability. */
	readonly settings?: Record<string, string>;
	/** Another service took the data folder while the server was away: this one must stop. */
	readonly onEvicted?: (error: Error) => void;
}

export interface EmbeddedPostgres {
	/** Stays the same for the life of this object, also when the server is started again. */
	readonly url: string;
	readonly pgData: string;
	/** The server's process now. */
	pid(): number;
	/** Lets go of the server, and stops it when nobody else uses it. */
	close(): Promise<void>;
}

/** Another service already serves this data folder. */
export class DataFolderTaken extends OperatorError {}

interface State {
	readonly cluster: Cluster;
	readonly options: EmbeddedOptions;
	readonly say: (line: string) => void;
	postmaster: Postmaster;
	session: pg.Client;
	closing: boolean;
	reviving: Promise<void> | null;
}

/**
 * The embedded PostgreSQL of a data folder, running: made when new, adopted when it already runs, recovered when it was
 * killed; and watched, so that a killed server is started again while this object lives.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
	const say = options.say ?? (() => undefined);
	const cluster = await prepareCluster(options);
	const before = await runningPostmaster(cluster.pgData);
	const { postmaster, session, others } = await attach(cluster, options, say);
	if (before?.pid === postmaster.pid && !others) {
		say(`Found PostgreSQL still running (process ${postmaster.pid}) with nobody using it: taking it over.`);
	}
	const state: State = { cluster, options, say, postmaster, session, closing: false, reviving: null };
	watch(state);
	return {
		url: clusterUrl(cluster, postmaster.socketDir),
		pgData: cluster.pgData,
		pid: () => state.postmaster.pid,
		close: () => close(state),
	};
}

interface Attachment {
	readonly postmaster: Postmaster;
	readonly session: pg.Client;
	/** Does somebody else use the server too? */
	readonly others: boolean;
}

/** A running server, a session on it, and the locks that say we use it. Retries while a server is stopping or starting. */
async function attach(cluster: Cluster, options: EmbeddedOptions, say: (line: string) => void): Promise<Attachment> {
	const giveUpAt = monotonicMs() + ATTACH_TIMEOUT_MS;
	while (true) {
		const postmaster = await ensurePostmaster(cluster, say, options.settings);
		const session = new pg.Client({
			connectionString: clusterUrl(cluster, postmaster.socketDir),
			application_name: `holdfast ${options.role}, process ${process.pid}`,
			keepAlive: true,
		});
		session.on("error", () => undefined); // its end is what counts
		try {
			await session.connect();
			return { postmaster, session, others: await takeLocks(session, cluster, options) };
		} catch (error) {
			await session.end().catch(() => undefined);
			if (error instanceof DataFolderTaken || !isPassing(error) || monotonicMs() > giveUpAt) throw error;
			await wait(RETRY_EVERY_MS);
		}
	}
}

async function takeLocks(session: pg.Client, cluster: Cluster, options: EmbeddedOptions): Promise<boolean> {
	// waits while somebody who was alone is stopping the server; then this session ends with it and we try again
	await session.query("select pg_advisory_lock_shared($1)", [USERS_LOCK]);
	if (options.role === "service") await takeServiceLock(session, cluster);
	const { rows } = await session.query(
		"select 1 from pg_locks where locktype = 'advisory' and objid = $1 and pid <> pg_backend_pid() limit 1",
		[USERS_LOCK],
	);
	return rows.length > 0;
}

async function takeServiceLock(session: pg.Client, cluster: Cluster): Promise<void> {
	const giveUpAt = monotonicMs() + FIRST_SERVICE_GRACE_MS;
	while (true) {
		const { rows } = await session.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
			SERVICE_LOCK,
		]);
		if (rows[0]?.taken) return;
		if (monotonicMs() > giveUpAt) break;
		await wait(RETRY_EVERY_MS);
	}
	const { rows } = await session.query<{ name: string }>(
		"select application_name as name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and objid = $1",
		[SERVICE_LOCK],
	);
	throw new DataFolderTaken(
		`The data folder ${cluster.dataDir} is already served by another Holdfast (${rows[0]?.name ?? "process unknown"}). Stop that one, or give this one its own HOLDFAST_DATA_DIR and ports. Several nodes share one database with HOLDFAST_DATABASE_URL.`,
	);
}

/** The session ends only when the server goes away: then it is brought back. */
function watch(state: State): void {
	state.session.once("end", () => {
		if (state.closing) return;
		state.say("PostgreSQL went away: bringing it back.");
		state.reviving = revive(state).finally(() => {
			state.reviving = null;
		});
	});
}

async function revive(state: State): Promise<void> {
	while (!state.closing) {
		try {
			const { postmaster, session } = await attach(state.cluster, state.options, state.say);
			state.postmaster = postmaster;
			state.session = session;
			if (state.closing) return;
			watch(state);
			state.say(`PostgreSQL is back (process ${postmaster.pid}).`);
			return;
		} catch (error) {
			if (error instanceof DataFolderTaken) {
				state.options.onEvicted?.(error);
				return;
			}
			state.say(`PostgreSQL is not back yet: ${(error as Error).message}`);
			await wait(REVIVE_EVERY_MS);
		}
	}
}

async function close(state: State): Promise<void> {
	if (state.closing) return;
	state.closing = true;
	await state.reviving;
	const { session } = state;
	try {
		const { rows } = await session.query<{ alone: boolean }>(
			"select pg_advisory_unlock_all(), pg_try_advisory_lock($1) as alone",
			[USERS_LOCK],
		);
		if (rows[0]?.alone) await stopAlone(state);
	} catch {
		// the server is gone already: nothing to stop
	}
	await session.end().catch(() => undefined);
}

/** Newcomers wait for the lock we hold until the server ends their session; then they start it again. */
async function stopAlone(state: State): Promise<void> {
	const { pid } = state.postmaster;
	if (await stopPostmaster(state.cluster.pgData, pid)) return;
	state.say(`PostgreSQL (process ${pid}) is still writing its last checkpoint; it will end by itself.`);
}

/** Errors that pass by waiting: the server is starting, stopping, or was just killed. */
function isPassing(error: unknown): boolean {
	const { code = "", message = "" } = error as { code?: string; message?: string };
	return (
		["57P01", "57P02", "57P03", "ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE"].includes(code) ||
		code.startsWith("08") ||
		/terminated|ended|closed/i.test(message)
	);
}
