import { join } from "node:path";
import type pg from "pg";
import { monotonicMs, wait } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { endClient, newClient } from "../pg/client.ts";
import { type Cluster, clusterUrl } from "./cluster.ts";
import type { Postmaster } from "./pid-file.ts";

/**
 * Advisory lock (shared) of every user of the embedded server: a user that can take it exclusively may stop the
 * server.
 */
const USERS_LOCK = 4_870_001;
/** Advisory lock of the one service of a data folder. */
const SERVICE_LOCK = 4_870_002;
/** Milliseconds that the session of a service killed a moment ago may need to end. */
const FIRST_SERVICE_GRACE_MS = 1_500;
/** Milliseconds that the last user may take to stop the server; stopPostmaster waits 60 s. */
const USERS_LOCK_TIMEOUT_MS = 90_000;
const RETRY_EVERY_MS = 50;

/** SQLSTATE of a connection with the wrong password. */
const WRONG_PASSWORD = "28P01";

/** Another service already serves this data folder. */
export class DataFolderTaken extends OperatorError {}

/** The connection whose locks mark the embedded server as in use. It ends only when the server goes away. */
export interface Session {
	/** Resolves when the connection has ended, for whatever reason. */
	readonly gone: Promise<void>;
	/** Takes the locks. True: another process uses the server too. @throws DataFolderTaken, or a connection error */
	begin(signal: AbortSignal): Promise<boolean>;
	/** Releases the locks. True: nobody else uses the server, and nobody can start to until this connection ends. */
	release(): Promise<boolean>;
	/** Closes the connection; a silent server delays this only briefly. */
	end(): Promise<void>;
}

export function openSession(cluster: Cluster, postmaster: Postmaster, role: string): Session {
	const name = `holdfast ${role}, process ${process.pid}`;
	const client = newClient(clusterUrl(cluster, postmaster.socketDir), name);
	const gone = new Promise<void>((resolve) => {
		client.once("end", () => resolve());
	});
	return {
		gone,
		async begin(signal) {
			await client.connect().catch((error) => {
				throw (error as { code?: string }).code === WRONG_PASSWORD ? wrongPassword(cluster) : error;
			});
			await takeUsersLock(client, cluster, signal);
			if (role === "service") await takeServiceLock(client, cluster);
			return (await holderOf(client, USERS_LOCK)) !== null;
		},
		async release() {
			const { rows } = await client.query<{ alone: boolean }>(
				"select pg_advisory_unlock_all(), pg_try_advisory_lock($1) as alone",
				[USERS_LOCK],
			);
			return rows[0]?.alone === true;
		},
		end: () => endClient(client),
	};
}

/** The last user holds the lock while it stops the server, which then ends this connection; we try again. */
async function takeUsersLock(client: pg.Client, cluster: Cluster, signal: AbortSignal): Promise<void> {
	const giveUpAt = monotonicMs() + USERS_LOCK_TIMEOUT_MS;
	while (!(await tryLock(client, "pg_try_advisory_lock_shared", USERS_LOCK))) {
		signal.throwIfAborted();
		if (monotonicMs() > giveUpAt) {
			const holder = (await holderOf(client, USERS_LOCK)) ?? "process unknown";
			throw new OperatorError(
				`The embedded PostgreSQL in ${cluster.pgData} is being stopped by "${holder}", which does not finish. End that program and start Holdfast again.`,
			);
		}
		await wait(RETRY_EVERY_MS);
	}
}

async function takeServiceLock(client: pg.Client, cluster: Cluster): Promise<void> {
	const giveUpAt = monotonicMs() + FIRST_SERVICE_GRACE_MS;
	while (!(await tryLock(client, "pg_try_advisory_lock", SERVICE_LOCK))) {
		if (monotonicMs() > giveUpAt) {
			throw new DataFolderTaken(
				`The data folder ${cluster.dataDir} is already served by another Holdfast (${(await holderOf(client, SERVICE_LOCK)) ?? "process unknown"}). Stop that one, or give this one its own HOLDFAST_DATA_DIR and ports. Several nodes share one database with HOLDFAST_DATABASE_URL.`,
			);
		}
		await wait(RETRY_EVERY_MS);
	}
}

type Lock = "pg_try_advisory_lock" | "pg_try_advisory_lock_shared";

async function tryLock(client: pg.Client, lock: Lock, id: number): Promise<boolean> {
	const { rows } = await client.query<{ taken: boolean }>(`select ${lock}($1) as taken`, [id]);
	return rows[0]?.taken === true;
}

/** The name of another session that holds the lock, or null. */
async function holderOf(client: pg.Client, id: number): Promise<string | null> {
	const { rows } = await client.query<{ name: string }>(
		"select application_name || ', server process ' || pid as name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and objid = $1 and granted and pid <> pg_backend_pid() limit 1",
		[id],
	);
	return rows[0]?.name ?? null;
}

function wrongPassword({ dataDir, pgData }: Cluster): OperatorError {
	return new OperatorError(
		`The password in ${join(dataDir, "postgres-password")} is not that of the database in ${pgData}. Put back the file that was created with that database, from the same backup as the rest of the data folder.`,
	);
}
