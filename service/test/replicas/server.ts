import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Cluster, clusterUrl, prepareCluster } from "../../src/ground/embedded/cluster.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { type Database, openDatabase } from "../../src/ground/pg/connect.ts";
import { makeDataFolder } from "../data-folder.ts";
import { until } from "../processes/child.ts";

/** Settings of every server of these tests, which may be killed, but are never cut off from power. */
const SETTINGS: Readonly<Record<string, string>> = {
	fsync: "off",
	listen_addresses: "",
	max_connections: "150",
	wal_keep_size: "512MB",
	wal_retrieve_retry_interval: "100ms",
	hot_standby_feedback: "on",
	wal_receiver_status_interval: "1s",
};

/** A PostgreSQL server on a data folder of its own, reached by its socket. */
export class Server {
	readonly #cluster: Cluster;
	readonly url: string;
	/** For the test's own statements. */
	readonly db: Database;
	#child: ChildProcess | null = null;

	private constructor(cluster: Cluster) {
		this.#cluster = cluster;
		this.url = clusterUrl(cluster, cluster.socketDir);
		this.db = openDatabase(this.url, { name: "test", max: 12 });
	}

	/** A primary whose database is migrated and empty. Every one of them is the same cluster until it is written to. */
	static async make(dataDir: string): Promise<Server> {
		await makeDataFolder(dataDir);
		const server = new Server(await prepareCluster({ dataDir }));
		await server.start();
		return server;
	}

	/** A replica that follows a server from the beginning. The server must never have been promoted. */
	static async replicaOf(primary: Server, dataDir: string): Promise<Server> {
		await makeDataFolder(dataDir);
		const server = new Server(await prepareCluster({ dataDir }));
		const file = join(server.#cluster.pgData, "standby.signal");
		await writeFile(file, "");
		await server.follow(primary);
		await server.start();
		return server;
	}

	/** From the next start on it receives its WAL from another server. */
	async follow(primary: Server): Promise<void> {
		const { socketDir, password } = primary.#cluster;
		const from = `host=${socketDir} user=holdfast password=${password} application_name=replica`;
		await appendFile(join(this.#cluster.pgData, "postgresql.auto.conf"), `primary_conninfo = '${from}'\n`);
	}

	/** Starts it and waits until it answers. */
	async start(): Promise<void> {
		const { pgData, socketDir, binaries, account, logFile } = this.#cluster;
		const settings = { ...SETTINGS, unix_socket_directories: socketDir };
		const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
		await rm(join(pgData, "postmaster.pid"), { force: true });
		const child = spawn(binaries.postgres, ["-D", pgData, ...options], {
			cwd: "/",
			env: { LC_ALL: "C", TZ: "UTC" },
			stdio: ["ignore", "ignore", "pipe"],
			...account,
		});
		child.stderr?.on("data", (chunk: Buffer) => void appendFile(logFile, chunk));
		this.#child = child;
		await until("a server that answers", async () => {
			if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${await readFile(logFile, "utf8")}`);
			return await this.db.query("select 1").then(
				() => true,
				() => false,
			);
		});
	}

	/** Stops its processes where they are; the returned function continues them. */
	async freeze(): Promise<() => void> {
		const { rows } = await this.db.query<{ pid: number }>(
			"select pid from pg_stat_activity where application_name like 'holdfast%'",
		);
		const pids = [must(this.#child?.pid, "a running server"), ...rows.map(({ pid }) => pid)];
		const signal = (name: NodeJS.Signals): void => {
			for (const pid of pids) process.kill(pid, name);
		};
		signal("SIGSTOP");
		return () => signal("SIGCONT");
	}

	/** A fast shutdown. */
	async stop(): Promise<void> {
		const child = this.#child;
		this.#child = null;
		if (child === null || child.exitCode !== null) return;
		child.kill("SIGCONT");
		child.kill("SIGINT");
		await once(child, "exit");
	}

	/** Makes it a primary, and resolves when it accepts writes. */
	async promote(): Promise<void> {
		await this.db.query("select pg_promote(true, 30)");
	}

	/** Stops its replay of WAL, which it still receives. */
	async pause(): Promise<void> {
		await this.db.query("select pg_wal_replay_pause()");
		await until("a pause of the replay", async () => {
			const { rows } = await this.db.query<{ state: string }>("select pg_get_wal_replay_pause_state() as state");
			return rows[0]?.state === "paused";
		});
	}

	async resume(): Promise<void> {
		await this.db.query("select pg_wal_replay_resume()");
	}

	/** Waits until it shows what another server has committed by now. */
	async catchUpWith(primary: Server): Promise<void> {
		const { rows } = await primary.db.query<{ lsn: string }>("select pg_current_wal_insert_lsn()::text as lsn");
		await until("a replica that has caught up", async () => {
			const found = await this.db.query<{ has: boolean }>("select pg_last_wal_replay_lsn() >= $1::pg_lsn as has", [
				rows[0]?.lsn,
			]);
			return found.rows[0]?.has === true;
		});
	}

	async close(): Promise<void> {
		await this.stop(); // first: a statement of a failed test may wait for ever
		await this.db.close();
	}
}
