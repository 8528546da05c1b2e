import { setTimeout as sleep } from "node:timers/promises";
import { countJobs } from "../../src/ground/jobs/count-jobs.ts";
import { enqueue } from "../../src/ground/jobs/enqueue.ts";
import { newJob } from "../../src/ground/jobs/job.ts";
import { JOB_CONNECTIONS, type JobWorker, startWorker } from "../../src/ground/jobs/worker.ts";
import { silentLog } from "../../src/ground/lib/log.ts";
import { type Database, openDatabase } from "../../src/ground/pg/connect.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { SWEEP_BOXES, TAKE_HINT, THE_SWEEP } from "../../src/inventory/shipping/job-names.ts";
import { LABEL_JOBS } from "../../src/inventory/shipping/jobs.ts";
import type { LabelBox, LabelPlatform } from "../../src/inventory/shipping/label-platform.ts";
import { createShipStationClient } from "../../src/inventory/shipping/shipstation/client.ts";
import { createShipStation } from "../../src/inventory/shipping/shipstation/shipstation-platform.ts";
import { END_OF_SWEEP } from "../../src/inventory/shipping/sweep-boxes.ts";
import { wantPush } from "../../src/inventory/shipping/want-push.ts";
import { settings } from "../demand-world.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { until } from "../processes/child.ts";
import { Ledger } from "./ledger.ts";
import { API_KEY, openPlatform, type PlatformServer } from "./server.ts";

/** More requests than any test sends: the rate limit has its own tests. */
const LIMITS = { in_background: 100_000, somebody_waits: 100_000 };

const SWEEP_KEY = `${SWEEP_BOXES}:${THE_SWEEP}`;

/** A database, a platform, the jobs between them, and the orders' side. */
export interface Day {
	readonly database: TestDatabase;
	readonly server: PlatformServer;
	readonly platform: LabelPlatform;
	readonly ledger: Ledger;
	/** Starts another node's worker. */
	startNode(): JobWorker;
	/** Marks orders to be pushed and adds their jobs, in one transaction, as placing an order does. */
	place(...boxes: LabelBox[]): Promise<string[]>;
	/** Receives a notification of the platform. */
	notify(path: string): Promise<void>;
	/** Makes every waiting job due, and resolves when only the next sweep is left to do. */
	settle(): Promise<void>;
	/** The same once, without waiting; to be called repeatedly. */
	hurry(): Promise<void>;
	/** A sweep now. */
	sweep(): Promise<void>;
	close(): Promise<void>;
}

export async function openDay(seed = 1): Promise<Day> {
	const database = await openTestDatabase();
	const server = await openPlatform(seed);
	const client = createShipStationClient({ url: server.url, apiKey: API_KEY, limits: LIMITS });
	const platform = createShipStation(client);
	const ledger = new Ledger();
	const nodes: { worker: JobWorker; db: Database }[] = [];
	const { db } = database;
	const hurry = async (): Promise<void> => {
		await db.query(
			`update graphile_worker._private_jobs set run_at = now() where id in (
			   select id from graphile_worker._private_jobs
			    where locked_at is null and key is distinct from $1 for update skip locked)`, // a worker may take some of them meanwhile
			[SWEEP_KEY],
		);
		await db.query(`select pg_notify('jobs:insert', '{"count":8}')`);
	};
	const left = async (): Promise<number> => {
		const counts = await countJobs(db);
		return counts.reduce((sum, { name, waiting }) => sum + (name === SWEEP_BOXES ? 0 : waiting), 0);
	};
	return {
		database,
		server,
		platform,
		ledger,
		hurry,
		startNode() {
			const own = openDatabase(database.url, { max: JOB_CONNECTIONS, name: "test jobs" });
			const deps = { db: own, platform, orders: ledger, demand: settings, log: silentLog() };
			const worker = startWorker({
				db: own,
				jobs: LABEL_JOBS,
				deps,
				log: silentLog(),
				counterOf: () => () => undefined,
			});
			nodes.push({ worker, db: own });
			return worker;
		},
		async place(...boxes) {
			const ids = boxes.map((box) => ledger.add(box));
			await transaction(db, (tx) => wantPush(tx, ids));
			return ids;
		},
		notify: (hint) => enqueue(db, [newJob(TAKE_HINT, hint, { hint })]),
		async settle() {
			await until("all jobs to be done", async () => {
				await hurry();
				await sleep(20);
				return (await left()) === 0;
			});
		},
		sweep: () => sweepWhole(db),
		async close() {
			for (const node of nodes) {
				await node.worker.stop();
				await node.db.close();
			}
			await client.close();
			await server.close();
			await database.close();
		},
	};
}

/** Sweeps until a sweep is complete; one that the platform did not answer is begun again. */
export async function sweepWhole(db: Database): Promise<void> {
	await enqueue(db, [newJob(SWEEP_BOXES, THE_SWEEP)]);
	await until("a sweep that reached its end", async () => {
		const { rows } = await db.query<{ why: string | null; waits: boolean }>(
			`select payload ->> 'why' as why, locked_at is null and run_at > now() + interval '20 seconds' as waits
			 from graphile_worker._private_jobs where key = $1`,
			[SWEEP_KEY],
		);
		const [row] = rows;
		if (row?.waits !== true) return false;
		if (row.why === END_OF_SWEEP) return true;
		await enqueue(db, [newJob(SWEEP_BOXES, THE_SWEEP)]);
		return false;
	});
}
