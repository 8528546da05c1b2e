/** A streaming replica of the bench's own PostgreSQL, from a cold copy of its data folder. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { clusterUrl, prepareCluster } from "../../service/src/ground/embedded/cluster.ts";
import { openDatabase } from "../../service/src/ground/pg/connect.ts";

const run = promisify(execFile);

/** Milliseconds between two attempts to connect, and maximum for the replica to answer. */
const LOOK_EVERY_MS = 50;
const READY_MS = 30_000;
/** As the bench's primary has it: a replica with fewer connections does not start. */
const MAX_CONNECTIONS = "300";

export interface Standby {
	/** The address of a database of the replica. */
	urlOf(database: string): string;
	close(): Promise<void>;
}

/** Copies the data folder of a server that is stopped, and starts the copy as its replica. */
export async function openStandby(dataDir: string, copy: string): Promise<Standby> {
	const primary = await prepareCluster({ dataDir });
	await run("cp", ["-a", dataDir, copy]); // with its owners
	const cluster = await prepareCluster({ dataDir: copy });
	await rm(path.join(cluster.pgData, "postmaster.pid"), { force: true });
	await writeFile(path.join(cluster.pgData, "standby.signal"), "");
	const from = `host=${primary.socketDir} user=holdfast password=${primary.password}`;
	await appendFile(path.join(cluster.pgData, "postgresql.auto.conf"), `primary_conninfo = '${from}'\n`);
	const settings = {
		listen_addresses: "",
		max_connections: MAX_CONNECTIONS,
		hot_standby_feedback: "on",
		unix_socket_directories: cluster.socketDir,
	};
	const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
	const child = spawn(cluster.binaries.postgres, ["-D", cluster.pgData, ...options], {
		cwd: "/",
		env: { LC_ALL: "C", TZ: "UTC" },
		stdio: "ignore",
		...cluster.account,
	});
	await untilReady(clusterUrl(cluster, cluster.socketDir), child);
	return {
		urlOf: (database) => clusterUrl(cluster, cluster.socketDir).replace(/@\/[^?]*/, `@/${database}`),
		async close() {
			const ended = once(child, "exit");
			child.kill("SIGINT");
			await ended;
		},
	};
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
	const db = openDatabase(url, { max: 1, name: "bench" });
	try {
		const latest = performance.now() + READY_MS;
		for (;;) {
			const isReady = await db.query("select 1").then(
				() => true,
				() => false,
			);
			if (isReady) return;
			if (child.exitCode !== null || performance.now() > latest) throw new Error("the replica did not start");
			await sleep(LOOK_EVERY_MS);
		}
	} finally {
		await db.close();
	}
}
