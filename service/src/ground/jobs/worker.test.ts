import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { until } from "../../../test/processes/child.ts";
import type { JobOutcome } from "../lib/job-outcome.ts";
import { type Log, silentLog } from "../lib/log.ts";
import { type Database, openDatabase } from "../pg/connect.ts";
import { transaction } from "../pg/transaction.ts";
import { countJobs, freeAbandonedJobs } from "./count-jobs.ts";
import { enqueue } from "./enqueue.ts";
import { type Job, type JobAttempt, type JobPayload, newJob } from "./job.ts";
import { JOB_CONNECTIONS, type JobWorker, startWorker } from "./worker.ts";

let database: TestDatabase;
let closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(async () => {
	for (const close of closing.toReversed()) await close();
	closing = [];
	await database.close();
});

type Run = (payload: JobPayload, attempt: JobAttempt) => ReturnType<Job<null>["run"]>;

const jobOf = (run: Run, more: Partial<Job<null>> = {}): Job<null> => ({
	name: "test",
	failure: "the test failed",
	withinMs: 5_000,
	delaysMs: [10, 20],
	run: (payload, _, attempt) => run(payload, attempt),
	...more,
});

/** A job whose first attempt begins, waits for `go`, and ends as specified; every later attempt succeeds at once. */
function heldFirst(end: () => ReturnType<Run>): { job: Job<null>; begun: Promise<undefined>; go: () => void } {
	const begun = Promise.withResolvers<undefined>();
	const go = Promise.withResolvers<undefined>();
	let attempts = 0;
	const run = async (): ReturnType<Run> => {
		if (++attempts > 1) return undefined;
		begun.resolve(undefined);
		await go.promise;
		return await end();
	};
	return { job: jobOf(run, { delaysMs: [3_600_000] }), begun: begun.promise, go: () => go.resolve(undefined) };
}

interface Started {
	readonly worker: JobWorker;
	readonly db: Database;
	readonly outcomes: JobOutcome[];
}

function start(jobs: readonly Job<null>[], log: Log = silentLog()): Started {
	const db = openDatabase(database.url, { max: JOB_CONNECTIONS, name: "test jobs", durability: "preferred" });
	const outcomes: JobOutcome[] = [];
	const worker = startWorker({ db, jobs, deps: null, log, counterOf: () => (outcome) => outcomes.push(outcome) });
	closing.push(async () => {
		await worker.stop();
		await db.close();
	});
	return { worker, db, outcomes };
}

const add = (job: Job<null>, key: string, payload: JobPayload = {}, afterMs = 0): Promise<void> =>
	enqueue(database.db, [newJob(job.name, key, payload, afterMs)]);

async function waiting(): Promise<number> {
	const counts = await countJobs(database.db);
	return counts.reduce((sum, one) => sum + one.waiting, 0);
}

const untilDone = (): Promise<unknown> => until("all jobs to be done", async () => (await waiting()) === 0);

/** Data of the jobs' rows. */
async function rows(): Promise<
	{ key: string | null; payload: { data: JobPayload; failed: number }; due_ms: number }[]
> {
	const { rows: found } = await database.db.query(
		`select key, payload, (extract(epoch from run_at - now()) * 1000)::float8 as due_ms from graphile_worker._private_jobs order by key`,
	);
	return found as never;
}

/** Until a statement on the jobs waits for another transaction. */
const untilBlocked = (): Promise<unknown> =>
	until("a statement to wait for another", async () => {
		const { rows: found } = await database.db.query(
			`select from pg_stat_activity
			  where datname = current_database() and wait_event_type = 'Lock' and query like '%graphile_worker%'`,
		);
		return found.length > 0;
	});

describe("A job is added", () => {
	const never = jobOf(() => Promise.resolve(undefined));

	it("in the transaction that caused it: with its commit it is there, with its rollback it never was", async () => {
		await transaction(database.db, (tx) => enqueue(tx, [newJob(never.name, "kept")]));
		const failure = new Error("rolled back");
		const lost = transaction(database.db, async (tx) => {
			await enqueue(tx, [newJob(never.name, "lost")]);
			throw failure;
		});
		await expect(lost).rejects.toBe(failure);
		expect((await rows()).map(({ key }) => key)).toEqual(["test:kept"]);
	});

	it("many in one statement, each key once, and the last of a key counts", async () => {
		const jobs = Array.from({ length: 500 }, (_, n) =>
			newJob(never.name, `k${n % 250}`, { n, text: 'a "quoted", {braced} \\ text' }),
		);
		await enqueue(database.db, jobs);
		const found = await rows();
		expect(found).toHaveLength(250);
		expect(found.every(({ payload }) => Number(payload.data.n) >= 250)).toBe(true);
		expect(found[0]?.payload.data.text).toBe('a "quoted", {braced} \\ text');
	});

	it("again while it waits takes its place, and keeps its time when it is told to", async () => {
		await add(never, "k", { n: 1 }, 60_000);
		await enqueue(database.db, [newJob(never.name, "k", { n: 2 })], { keepTime: true });
		const [kept] = await rows();
		expect(kept?.payload.data).toEqual({ n: 2 });
		expect(kept?.due_ms).toBeGreaterThan(30_000);
		await add(never, "k", { n: 3 });
		const [brought, ...others] = await rows();
		expect(others).toEqual([]);
		expect(brought?.due_ms).toBeLessThan(30_000);
	});

	it("again while a node that is gone has it locked is done at once by another, whether or not it keeps its time", async () => {
		for (const keepTime of [true, false]) {
			await add(never, "k");
			await database.db.query(
				"update graphile_worker._private_jobs set locked_by = 'a node that is gone', locked_at = now() where key = 'test:k'",
			);
			await enqueue(database.db, [newJob(never.name, "k")], { keepTime });
			const { worker, outcomes } = start([never]);
			await until("the new job", () => outcomes.includes("done"));
			await worker.stop();
			await database.db.query("delete from graphile_worker._private_jobs");
		}
	});

	it("in place of the waiting one, which no worker takes while it is added", async () => {
		await add(never, "b", { n: 1 });
		const adding = await transaction(database.db, async (tx) => {
			await enqueue(tx, [newJob(never.name, "a")]);
			const other = enqueue(database.db, [newJob(never.name, "a"), newJob(never.name, "b", { n: 2 })]);
			await untilBlocked();
			await database.db.query(
				`update graphile_worker._private_jobs set locked_by = 'a worker', locked_at = now()
				  where id in (select id from graphile_worker._private_jobs where key = 'test:b' for update skip locked)`,
			);
			return { other };
		});
		await adding.other;
		expect((await rows()).map(({ key, payload }) => [key, payload.data.n])).toEqual([
			["test:a", undefined],
			["test:b", 2],
		]);
	});

	it("none at a time is nothing", async () => {
		await enqueue(database.db, []);
		expect(await waiting()).toBe(0);
	});
});

describe("A worker", () => {
	it("runs each job once, however many nodes there are, and tells it what it was told", async () => {
		const seen: unknown[] = [];
		const job = jobOf(async ({ n }) => {
			await sleep(1);
			seen.push(n);
			return undefined;
		});
		for (let node = 0; node < 3; node++) start([job]);
		const numbers = Array.from({ length: 60 }, (_, n) => n);
		await enqueue(
			database.db,
			numbers.map((n) => newJob(job.name, String(n), { n })),
		);
		await untilDone();
		expect(seen.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers);
	});

	it("makes a failed attempt again at the time its room chose, and counts; then it is done", async () => {
		const numbers: number[] = [];
		const job = jobOf((_, { number }) => {
			numbers.push(number);
			return number < 3 ? Promise.reject(new Error("not yet")) : Promise.resolve(undefined);
		});
		const { outcomes } = start([job]);
		await add(job, "k");
		await untilDone();
		expect(numbers).toEqual([1, 2, 3]);
		expect(outcomes).toEqual(["failed", "failed", "done"]);
	});

	it("says how jobs fail until they succeed, and for how long they wait", async () => {
		const job = jobOf(() => Promise.reject(new Error("the other side is closed")), { delaysMs: [3_600_000] });
		start([job]);
		await add(job, "k");
		const count = await until("the failure to be noted", async () => {
			const [first] = await countJobs(database.db);
			return (first?.failing ?? 0) > 0 && first;
		});
		expect(count).toMatchObject({ name: "test", waiting: 1, failing: 1, why: "the other side is closed" });
		const [row] = await rows();
		expect(row?.due_ms).toBeGreaterThan(3_500_000);
		expect(row?.due_ms).toBeLessThan(3_602_000);
	});

	it("lets a job come again as it asks, which is no failure", async () => {
		const job = jobOf((_, { number }) =>
			Promise.resolve(number === 1 ? { afterMs: 3_600_000, why: "later" } : undefined),
		);
		const { outcomes } = start([job]);
		await add(job, "k");
		await until("the attempt", () => outcomes.length > 0);
		expect(outcomes).toEqual(["again"]);
		await until("the job to wait again", async () => ((await rows())[0]?.due_ms ?? 0) > 3_000_000);
		expect((await countJobs(database.db))[0]).toMatchObject({ waiting: 1, failing: 0 });
	});

	it("does not let an attempt that failed displace what was added meanwhile and waits", async () => {
		const { job, begun, go } = heldFirst(() => Promise.reject(new Error("too late")));
		start([job]);
		await add(job, "k", { n: 1 });
		await begun;
		await add(job, "k", { n: 2 }, 3_600_000);
		go();
		await until("the failed attempt to be over", async () => (await rows()).length === 1);
		expect((await rows())[0]?.payload.data).toEqual({ n: 2 });
	});

	it("does not delay what is added while an attempt that ended is added again", async () => {
		const { job, begun, go } = heldFirst(() => Promise.resolve({ afterMs: 3_600_000, why: "later" }));
		const { outcomes } = start([job]);
		await add(job, "k");
		await begun;
		await transaction(database.db, async (tx) => {
			await enqueue(tx, [newJob(job.name, "k")]);
			go();
			await untilBlocked();
		});
		await until("the newer job", () => outcomes.length === 2);
		expect(outcomes).toEqual(["again", "done"]);
	});

	it("runs again what asks for it, though the same job was added and done meanwhile", async () => {
		const { job, begun, go } = heldFirst(() => Promise.resolve({ afterMs: 0, why: "the state changed" }));
		const { outcomes } = start([job]);
		await add(job, "k");
		await begun;
		await add(job, "k");
		await until("the newer job", () => outcomes.length === 1);
		go();
		await until("the attempt after it", () => outcomes.length === 3);
		expect(outcomes).toEqual(["done", "again", "done"]);
	});

	it("gives up an attempt that takes too long, also when it does not listen", async () => {
		const deaf = jobOf(() => new Promise(() => undefined), { name: "deaf", withinMs: 50, delaysMs: [3_600_000] });
		const polite = jobOf(
			(_, { signal }) =>
				new Promise((_resolve, reject) => {
					signal.addEventListener("abort", () => reject(new Error("called off")));
				}),
			{ name: "polite", withinMs: 50, delaysMs: [3_600_000] },
		);
		const { outcomes } = start([deaf, polite]);
		await add(deaf, "k");
		await add(polite, "k");
		await until("both to be given up", () => outcomes.length === 2);
		expect(outcomes).toEqual(["failed", "failed"]);
	}, 20_000);

	it("stops within seconds, and what it did not finish is done by another node at once", async () => {
		const begun = Promise.withResolvers<undefined>();
		const job = jobOf(async (_, { signal }) => {
			begun.resolve(undefined);
			await new Promise((resolve) => {
				signal.addEventListener("abort", resolve);
			});
			throw new Error("called off");
		});
		const { worker } = start([job]);
		await add(job, "k");
		await begun.promise;
		await worker.stop();
		const other = start([jobOf(() => Promise.resolve(undefined))]);
		await untilDone();
		expect(other.outcomes).toEqual(["done"]);
	});

	it("that vanished leaves its jobs to the others, once they have been locked for too long", async () => {
		const job = jobOf(() => Promise.resolve(undefined));
		await add(job, "k");
		const lock = (ago: string): Promise<unknown> =>
			database.db.query(
				`update graphile_worker._private_jobs set locked_by = 'a node that is gone', locked_at = now() - interval '${ago}'`,
			);
		await lock("1 minute");
		expect(await freeAbandonedJobs(database.db)).toBe(0);
		await lock("4 minutes");
		await add(job, "of a node that goes on");
		await database.db.query(
			"update graphile_worker._private_jobs set locked_by = 'a node that is gone', locked_at = now() where key like '%goes on'",
		);
		// the node works on, but it does not run the first job: the answer to its fetch was lost
		expect(await freeAbandonedJobs(database.db)).toBe(1);
		expect(await freeAbandonedJobs(database.db)).toBe(0);
		await lock("4 minutes");
		expect(await freeAbandonedJobs(database.db)).toBe(3);
		start([job]);
		await untilDone();
	});

	it("goes on when its connections were lost", async () => {
		const job = jobOf(() => Promise.resolve(undefined));
		const { outcomes } = start([job]);
		await add(job, "before");
		await untilDone();
		for (let n = 0; n < 3; n++) {
			await database.db.query(
				"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test jobs' and datname = current_database()",
			);
			await add(job, `after ${n}`);
			await untilDone();
		}
		expect(outcomes.filter((one) => one === "done").length).toBeGreaterThanOrEqual(4);
	}, 60_000);

	it("has sessions whose commits are on disk before they are acknowledged, as all of ours", async () => {
		const { db } = start([jobOf(() => Promise.resolve(undefined))]);
		const { rows: found } = await db.query("select current_setting('synchronous_commit') as setting");
		expect(found).toEqual([{ setting: "on" }]); // it is off on the tests' server
	});
});
