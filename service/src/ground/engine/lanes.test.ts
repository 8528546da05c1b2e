import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { until } from "../../../test/processes/child.ts";
import { isRefusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { createEngine, type EngineOptions } from "./engine.ts";
import type { Requester, Steps } from "./steps.ts";

/*
 * The engine with commands and locks of other sessions, on a real database. A command names the rows it changes, as
 * `a` or `a+b`, and may have an identity: `a#1` repeats or continues every other command that ends in `#1`.
 */

let database: TestDatabase;
let stranger: Awaited<ReturnType<TestDatabase["db"]["take"]>>;

beforeAll(async () => {
	database = await openTestDatabase();
	await database.db.query("create table stock (name text primary key, changes int not null default 0)");
});
beforeEach(async () => {
	await database.db.query("truncate stock");
	await database.db.query("insert into stock select * from unnest('{a,b,c}'::text[])");
	stranger = await database.db.take();
});
afterEach(async () => {
	await stranger.query("rollback").catch(() => undefined);
	stranger.release();
});
afterAll(() => database.close());

const rowsOf = (command: string): string[] => (command.split("#")[0] ?? "").split("+");

const steps: Steps<string, string, string[], never> = {
	async open(tx, commands, signature) {
		await signature?.write(tx);
		const names = commands.flatMap(rowsOf);
		await tx.query("select from stock where name = any($1::text[]) order by name for update", [names]);
		return [];
	},
	decide(book, command) {
		book.push(...rowsOf(command));
		return `did ${command}`;
	},
	recheck: () => null,
	weigh: () => 1,
	save: (tx, names) => [
		tx.query(
			`update stock s set changes = changes + n.count
			   from (select name, count(*)::int from unnest($1::text[]) u(name) group by 1) n where s.name = n.name`,
			[names],
		),
	],
	async findBlocked(tx: Query, commands) {
		const names = commands.flatMap(rowsOf);
		const { rows } = await tx.query<{ name: string }>(
			`with free as materialized (select name from stock where name = any($1::text[]) for update skip locked)
			 select name from stock where name = any($1::text[]) and name not in (select name from free)`,
			[names],
		);
		const locked = new Set(rows.map(({ name }) => name));
		if (locked.size === 0) return null;
		return (command) => rowsOf(command).some((name) => locked.has(name));
	},
	identities: (command) => command.split("#").slice(1),
};
const open = (options: EngineOptions = {}) => createEngine(database.db, steps, options);

const lock = async (name: string): Promise<void> => {
	await stranger.query("begin");
	await stranger.query("select from stock where name = $1 for update", [name]);
};

const changes = async (name: string): Promise<number> => {
	const { rows } = await database.db.query<{ changes: number }>("select changes from stock where name = $1", [name]);
	return rows[0]?.changes ?? 0;
};

const said = async (answer: Promise<unknown>): Promise<string> => {
	const value = await answer;
	return isRefusal(value) ? value.refusal : String(value);
};

describe("a row that a stranger keeps locked", () => {
	it("is waited for by the commands that need it, and by nobody else in their batch", async () => {
		const engine = open();
		await lock("a");
		const blocked = said(engine.execute("a"));
		expect(await Promise.all(["b", "c"].map((one) => said(engine.execute(one))))).toEqual(["did b", "did c"]);
		expect(await Promise.all(["b", "c"].map((one) => said(engine.execute(one))))).toEqual(["did b", "did c"]);
		await stranger.query("commit");
		expect(await blocked).toBe("did a");
		expect([await changes("a"), await changes("b")]).toEqual([1, 2]);
		await engine.drain();
	});

	it("does not delay later commands on other rows at all: those that need it are sorted out before a batch begins", async () => {
		const engine = open({ lockWaitMs: 1 });
		await lock("a");
		const blocked = [said(engine.execute("a"))];
		await until("the lock is known", async () => {
			await engine.execute("b");
			return true;
		});
		let troubles = 0;
		const counted = createEngine(database.db, steps, { onTrouble: () => troubles++ });
		expect(await said(counted.execute("b"))).toBe("did b");
		expect(troubles).toBe(0);
		for (let n = 0; n < 20; n++) {
			blocked.push(said(engine.execute("a")));
			expect(await said(engine.execute("b"))).toBe("did b");
		}
		await stranger.query("commit");
		expect(await Promise.all(blocked)).toEqual(blocked.map(() => "did a"));
		expect(await changes("a")).toBe(21);
	});

	it("costs a command that needs it `retry` at its deadline, and changes nothing", async () => {
		const engine = open({ deadlineMs: 300 });
		await lock("a");
		expect(await said(engine.execute("a"))).toBe("retry");
		expect(await said(engine.execute("a+b"))).toBe("retry");
		expect(await said(engine.execute("b"))).toBe("did b");
		await stranger.query("commit");
		expect([await changes("a"), await changes("b")]).toEqual([0, 1]);
		expect(await said(engine.execute("a+b"))).toBe("did a+b");
	});

	it("lets no repeat of a waiting command overtake it", async () => {
		const answered: string[] = [];
		const engine = open();
		const ask = (command: string) => said(engine.execute(command)).then((answer) => answered.push(answer));
		await lock("a");
		const all = [ask("a#1")];
		await until("the first waits aside", async () => (await said(engine.execute("c"))) === "did c");
		all.push(ask("b#1"), ask("b#2"));
		await until("the other identity is done", () => answered.includes("did b#2"));
		expect(answered).toEqual(["did b#2"]);
		await stranger.query("commit");
		await Promise.all(all);
		expect(answered).toEqual(["did b#2", "did a#1", "did b#1"]);
	});
});

describe("the standing of a key", () => {
	const requester = (
		inForce: Requester["inForce"],
		confirm: Requester["confirm"] = async () => undefined,
	): Requester => ({
		caller: { keyId: "key" },
		inForce,
		confirm,
	});

	it("is judged when the batch decides, after every wait for a lock: a key revoked meanwhile changes nothing", async () => {
		let revoked = false;
		const engine = open();
		await lock("a");
		const answer = said(
			engine.execute(
				"a",
				requester(() => !revoked),
			),
		);
		await until("it waits aside", async () => (await said(engine.execute("c"))) === "did c");
		revoked = true;
		await stranger.query("commit");
		expect(await answer).toBe("unauthorized");
		expect(await changes("a")).toBe(0);
	});

	it("fails nobody beside it", async () => {
		const engine = open();
		const answers = [
			engine.execute(
				"a",
				requester(() => false),
			),
			engine.execute(
				"b",
				requester(() => true),
			),
		].map(said);
		expect(await Promise.all(answers)).toEqual(["unauthorized", "did b"]);
		expect([await changes("a"), await changes("b")]).toEqual([0, 1]);
	});

	it("that is too old to be believed is brought up to date before anything is decided", async () => {
		let fresh = false;
		const engine = open();
		const stale = requester(
			() => (fresh ? true : "stale"),
			async () => {
				fresh = true;
			},
		);
		expect(await said(engine.execute("a", stale))).toBe("did a");
		expect(await changes("a")).toBe(1);
	});

	it("that cannot be brought up to date refuses the command, and only that one", async () => {
		const engine = open();
		const stale = requester(
			() => "stale",
			() => Promise.reject(new Error("the database is away")),
		);
		const answers = await Promise.allSettled([engine.execute("a", stale), engine.execute("b")]);
		expect(answers.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
		expect([await changes("a"), await changes("b")]).toEqual([0, 1]);
	});
});
