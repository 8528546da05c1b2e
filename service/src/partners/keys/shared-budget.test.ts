import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { runTask } from "../../../test/run-task.ts";
import { newId } from "../../ground/lib/ids.ts";
import { createRateLimit, type RateLimit } from "../http/rate-limit.ts";
import { createSharedBudget, type SharedBudget } from "./shared-budget.ts";
import { SHARE_BUDGETS } from "./tasks.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

interface Node {
	readonly limit: RateLimit;
	readonly budget: SharedBudget;
}

async function nodes(count: number): Promise<Node[]> {
	const all = Array.from({ length: count }, () => {
		const limit = createRateLimit({ now: () => 1_000, drained: true });
		return { limit, budget: createSharedBudget(database.db, limit) };
	});
	for (const { budget } of all) await budget.exchange();
	return all;
}

/** Runs the exchange on every node, and then again, so that each has the others' counts. */
async function exchange(all: readonly Node[]): Promise<void> {
	for (const { budget } of [...all, ...all]) await budget.exchange();
}

it("requests on one node use up the budget on every node", async () => {
	const key = newId();
	const all = await nodes(3);
	let allowed = 0;
	for (let n = 0; n < 90; n++) {
		if (all[n % 3]?.limit.take(key, 60).allowed) allowed++;
		await exchange(all);
	}
	expect(allowed).toBe(60);
	for (const { limit } of all) expect(limit.take(key, 60)).toMatchObject({ allowed: false, left: 0 });
	expect(all[0]?.limit.take(newId(), 60).allowed).toBe(true);
});

it("a burst between two exchanges passes each node at most once, and is counted on all of them afterwards", async () => {
	const key = newId();
	const all = await nodes(2);
	const burst = () =>
		all.map(({ limit }) => Array.from({ length: 100 }, () => limit.take(key, 60)).filter((v) => v.allowed).length);
	expect(burst()).toEqual([60, 60]);
	await exchange(all);
	expect(burst()).toEqual([0, 0]);
});

it("a node that joins does not count what was before its time; a table emptied by a crash begins again", async () => {
	const key = newId();
	const [first] = await nodes(1);
	for (let n = 0; n < 10; n++) first?.limit.take(key, 60);
	await first?.budget.exchange();
	const [second] = await nodes(1);
	expect(second?.limit.take(key, 60).left).toBe(59);
	await database.db.query("truncate key_use");
	for (let n = 0; n < 4; n++) first?.limit.take(key, 60);
	await exchange([first as Node, second as Node]);
	expect(second?.limit.take(key, 60).left).toBe(59 - 4 - 1);
});

it("goes on by itself, and survives a database that is away for a moment", async () => {
	const key = newId();
	const [first, second] = (await nodes(2)) as [Node, Node];
	const running = [first, second].map(({ budget }) => runTask(SHARE_BUDGETS, { budget }));
	await database.db.query("alter table key_use rename to away");
	await new Promise((resolve) => setTimeout(resolve, 300));
	await database.db.query("alter table away rename to key_use");
	first.limit.take(key, 60);
	const seen = async (): Promise<boolean> =>
		second.limit.take(newId(), 1).allowed && second.limit.take(key, 1_000).left < 998;
	await expect.poll(seen).toBe(true);
	for (const tasks of running) await tasks.stop();
});

it("after a gap in the exchange, only the requests of the last minute count", async () => {
	const key = newId();
	let now = 1_000;
	const clock = () => now;
	const [silent, busy] = [0, 1].map(() => {
		const limit = createRateLimit({ now: clock, drained: true });
		return { limit, budget: createSharedBudget(database.db, limit, clock) };
	}) as [Node, Node];
	for (const { budget } of [silent, busy]) await budget.exchange();
	for (let second = 0; second < 180; second++) {
		now += 1_000;
		if (second % 3 < 2) busy.limit.take(key, 60); // 40 a minute
		await busy.budget.exchange();
	}
	await silent.budget.exchange();
	expect(silent.limit.take(key, 60)).toMatchObject({ allowed: true, left: 19 });
});
