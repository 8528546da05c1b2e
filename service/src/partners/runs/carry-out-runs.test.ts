import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { silentLog } from "../../ground/lib/log.ts";
import { refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { ConnectionLost } from "../../ground/pg/faults.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { createRuns, type Runs } from "./carry-out-runs.ts";
import { LEASE_MS } from "./limits.ts";
import { type AnyRunKind, type HeldRun, notBegun, type RunKind } from "./run.ts";
import { insertRun, selectRun, stopRun } from "./sql.ts";

interface Counted {
	readonly n: number;
	readonly upTo: number;
}
const OPERATION = "release_hold";

let test: TestDatabase;
const nodes: Runs[] = [];
beforeAll(async () => {
	test = await openTestDatabase();
	await test.db.query("create table step (run_id uuid, n int, node text)");
});
afterEach(async () => void (await Promise.all(nodes.splice(0).map((node) => node.stop()))));
afterAll(() => test.close());

/** Each step adds a row. `before` runs in the middle of a step. */
const counting = (name: string, before: (n: number) => Promise<unknown> = async () => undefined): RunKind<Counted> => ({
	operation: OPERATION,
	async next(tx, { n, upTo }, { runId }) {
		await before(n);
		await tx.query("insert into step values ($1, $2, $3)", [runId, n, name]);
		return { state: { n: n + 1, upTo }, done: n + 1, of: upTo, result: { n: n + 1 }, isEnd: n + 1 === upTo };
	},
});

function open<State>(kind: RunKind<State>): Runs {
	const runs = createRuns({ db: test.db, readDb: test.db, log: silentLog() });
	runs.add(kind as AnyRunKind);
	nodes.push(runs);
	return runs;
}

async function makeRun(upTo: number): Promise<HeldRun> {
	const facts = { runId: newId(), operation: OPERATION, actor: "operator:test", requestId: "req_1" } as const;
	const step = notBegun({ n: 0, upTo }, upTo);
	await transaction(test.db, (tx) => insertRun(tx, { ...facts, about: "it", step }));
	return { ...facts, fence: 1 };
}
const read = async ({ runId }: HeldRun) => must(await selectRun(test.db, runId), "the run");
const stepsOf = async ({ runId }: HeldRun): Promise<number[]> => {
	const { rows } = await test.db.query<{ n: number }>("select n from step where run_id = $1 order by n", [runId]);
	return rows.map(({ n }) => n);
};
const endLease = ({ runId }: HeldRun) =>
	test.db.query("update operator_run set held_until = clock_timestamp() - interval '1 second' where run_id = $1", [
		runId,
	]);
async function ended(run: HeldRun, status: string): Promise<void> {
	await expect.poll(async () => (await read(run)).status).toBe(status);
}

describe("A run", () => {
	it("is carried out step by step, and its result is there", async () => {
		const run = await makeRun(5);
		const node = open(counting("a"));
		node.carryOut(run);
		expect(await node.awaitEnd(run.runId)).toMatchObject({
			status: "done",
			done: 5,
			of: 5,
			result: { n: 5 },
			error: null,
		});
		expect(await stepsOf(run)).toEqual([0, 1, 2, 3, 4]);
	});

	it("of a node that stops is gone on with by another one, from where it was", async () => {
		const run = await makeRun(4);
		const reached = Promise.withResolvers<void>();
		const goOn = Promise.withResolvers<void>();
		const one = open(
			counting("a", async (n) => {
				if (n === 1) reached.resolve();
				if (n === 1) await goOn.promise;
			}),
		);
		one.carryOut(run);
		await reached.promise;
		const stopped = one.stop();
		goOn.resolve();
		await stopped;
		const other = open(counting("b"));
		await other.takeOver();
		await ended(run, "done");
		expect(await stepsOf(run)).toEqual([0, 1, 2, 3]);
	});

	it("is not taken while a step is under way, however long it takes", async () => {
		const run = await makeRun(2);
		const reached = Promise.withResolvers<void>();
		const goOn = Promise.withResolvers<void>();
		const one = open(
			counting("a", async (n) => {
				if (n === 0) reached.resolve();
				if (n === 0) await goOn.promise;
			}),
		);
		one.carryOut(run);
		await reached.promise;
		await endLease(run);
		await open(counting("b")).takeOver();
		goOn.resolve();
		await ended(run, "done");
		expect((await test.db.query("select distinct node from step where run_id = $1", [run.runId])).rows).toEqual([
			{ node: "a" },
		]);
	});

	it("whose lease has passed is not taken over by the node that has it in hand", async () => {
		const run = await makeRun(3);
		const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const inputs: unknown[] = [];
		const { next, ...kind } = counting("a") as Extract<RunKind<Counted>, { next: unknown }>;
		let tries = 0;
		const node = open<Counted>({
			...kind,
			async next(tx, state, facts) {
				inputs.push(facts.input);
				if (++tries > 1) return await next(tx, state, facts);
				reached.resolve();
				await goOn.promise;
				throw new ConnectionLost("the database is away");
			},
		});
		node.carryOut(run, "its files");
		await reached.promise;
		goOn.resolve();
		await endLease(run);
		await test.db.query("select from operator_run where run_id = $1 for update", [run.runId]); // its step has ended
		await node.takeOver();
		await ended(run, "done");
		expect(new Set(inputs)).toEqual(new Set(["its files"]));
		expect(await stepsOf(run)).toEqual([0, 1, 2]);
	});

	it("that begins on a node that stops is let go of, so that another takes it at once", async () => {
		const run = await makeRun(1);
		const stopping = open(counting("a"));
		await stopping.stop();
		stopping.carryOut(run);
		const other = open(counting("b"));
		const taken = async () => (await other.takeOver(), (await read(run)).status);
		await expect.poll(taken, { timeout: LEASE_MS / 2 }).toBe("done");
	});

	it("of work whose beginning and end meet a lost connection is done, with its result", async () => {
		const run = await makeRun(1);
		const done = new Set<unknown>();
		/** Fails the first time. */
		const lossy = <T>(what: unknown, work: () => Promise<T>): Promise<T> => {
			if (done.has(what)) return work();
			done.add(what);
			return Promise.reject(new ConnectionLost("no connection"));
		};
		const db: Database = {
			...test.db,
			take: () => lossy("take", () => test.db.take()),
			query: ((text: string, values: unknown[]) =>
				lossy(JSON.stringify(text), () => test.db.query(text, values))) as never,
		};
		const runs = createRuns({ db, readDb: test.db, log: silentLog() });
		nodes.push(runs);
		runs.add({
			operation: OPERATION,
			work: () => Promise.resolve({ found: 7 }),
		});
		runs.carryOut(run);
		await ended(run, "done");
		expect((await read(run)).result).toEqual({ found: 7 });
	});

	it("that was taken is left alone by the node that had it: no step is done twice", async () => {
		const run = await makeRun(3);
		await endLease(run);
		const other = open(counting("b"));
		await other.takeOver();
		const late = open(counting("a"));
		late.carryOut(run); // as if the node had been frozen
		await ended(run, "done");
		await late.stop();
		expect(await stepsOf(run)).toEqual([0, 1, 2]);
		expect((await test.db.query("select distinct node from step where run_id = $1", [run.runId])).rows).toEqual([
			{ node: "b" },
		]);
	});

	it("stops before its next step when it is asked to, and at once when no node has it", async () => {
		const run = await makeRun(1_000_000);
		open(counting("a")).carryOut(run);
		await expect.poll(async () => (await read(run)).done).toBeGreaterThan(0);
		await transaction(test.db, (tx) => stopRun(tx, run.runId));
		await ended(run, "stopped");
		const { done, result } = await read(run);
		expect(result).toEqual({ n: done });
		expect(await stepsOf(run)).toHaveLength(done);
		const left = await makeRun(3);
		await endLease(left);
		await transaction(test.db, (tx) => stopRun(tx, left.runId));
		expect(await read(left)).toMatchObject({ status: "stopped", done: 0 });
	});

	it("fails with a refusal of a step, which is rolled back, and keeps what was done before", async () => {
		const run = await makeRun(3);
		const kind = counting("a");
		const refusing: RunKind<Counted> = {
			operation: OPERATION,
			async next(tx, state, facts) {
				const step = await (kind as Extract<typeof kind, { next: unknown }>).next(tx, state, facts);
				return state.n === 2 ? refuse("not_found", "There is no such lot.") : step;
			},
		};
		const node = open(refusing);
		node.carryOut(run);
		const error = { code: "not_found", message: "There is no such lot." };
		expect(await node.awaitEnd(run.runId)).toMatchObject({ status: "failed", done: 2, result: { n: 2 }, error });
		expect(await stepsOf(run)).toEqual([0, 1]);
	});

	it("tries a step again after an error", async () => {
		const run = await makeRun(2);
		let failures = 0;
		const node = open(
			counting("a", async (n) => {
				if (n === 1 && ++failures === 1) throw new Error("a bad moment");
			}),
		);
		node.carryOut(run);
		await ended(run, "done");
		expect(await stepsOf(run)).toEqual([0, 1]);
	});

	it("that is no series of steps fails when its node is gone, and says how far it came", async () => {
		const run = await makeRun(10);
		await test.db.query("update operator_run set done = 4 where run_id = $1", [run.runId]);
		await endLease(run);
		await open({ operation: OPERATION, work: async () => ({}) }).takeOver();
		const { status, error } = await read(run);
		expect([status, error?.message]).toEqual([
			"failed",
			"The node that carried out this run is gone. The run got as far as 4 of 10. Start it again.",
		]);
	});

	it("that is one piece of work notes its progress and has its result, or stops", async () => {
		const [run, stopped] = [await makeRun(10), await makeRun(10)];
		const node = open({
			operation: OPERATION,
			async work(_state, { runId, note, signal }) {
				note(7, 10);
				if (runId === run.runId) return { found: 3 };
				await new Promise((resolve) => signal.addEventListener("abort", resolve));
				throw new Error("aborted");
			},
		});
		node.carryOut(run);
		expect(await node.awaitEnd(run.runId)).toMatchObject({ status: "done", done: 7, result: { found: 3 } });
		node.carryOut(stopped);
		await transaction(test.db, (tx) => stopRun(tx, stopped.runId));
		await ended(stopped, "stopped");
		expect((await read(stopped)).done).toBe(7);
	});
});

it("A run that ends before it is done keeps no address of a customer", async () => {
	const facts = { runId: newId(), operation: OPERATION, actor: "operator:test", requestId: "req_1" } as const;
	const step = notBegun({ n: 0, upTo: 1, address: "sealed" }, 1);
	await transaction(test.db, (tx) => insertRun(tx, { ...facts, about: "it", step }));
	await endLease({ ...facts, fence: 1 });
	await transaction(test.db, (tx) => stopRun(tx, facts.runId));
	const { rows } = await test.db.query("select status, state from operator_run where run_id = $1", [facts.runId]);
	expect(rows).toEqual([{ status: "stopped", state: { n: 0, upTo: 1 } }]);
});
