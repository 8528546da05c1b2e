import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { isRefusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { createEngine, type Engine, executeIn } from "./engine.ts";
import { NeedsMoreLocks, type Steps } from "./steps.ts";

/*
 * The engine with the test's own steps, on a real database, to test what happens to a batch that fails. A command is a
 * word; each word that is done leaves a row. A word that begins with `conflict` meets a real SQLSTATE as often as it
 * says.
 */

let database: TestDatabase;
let opened: string[][];
let trouble: Map<string, number>;

beforeAll(async () => {
	database = await openTestDatabase();
	await database.db.query("create table done (n bigint generated always as identity, word text unique)");
});
beforeEach(async () => {
	await database.db.query("truncate done");
	opened = [];
	trouble = new Map();
});
afterAll(() => database.close());

interface Book {
	readonly words: string[];
	readonly more: string | undefined;
}

/** Fails `times` times in the way that the word names, then succeeds. */
function due(word: string, what: string): boolean {
	const [, times] = new RegExp(`^${what}:(\\d+)`).exec(word) ?? [];
	if (times === undefined) return false;
	const sofar = trouble.get(word) ?? 0;
	trouble.set(word, sofar + 1);
	return sofar < Number(times);
}

const raise = (tx: Query, sqlstate: string) =>
	tx.query(`do $$ begin raise exception 'asked for' using errcode = '${sqlstate}'; end $$`);

const steps: Steps<string, string, Book, string> = {
	async open(tx, commands, signature, more) {
		await signature?.write(tx);
		opened.push([...commands]);
		for (const word of commands) {
			if (due(word, "conflict")) await raise(tx, word.includes("deadlock") ? "40P01" : "40001");
			if (due(word, "again")) throw new NeedsMoreLocks(`more for ${word}`);
			if (word === "broken") await raise(tx, "22012");
		}
		return { words: [], more };
	},
	decide(book, word) {
		if (word === "poison") throw new Error("bug: poison");
		if (word === "no") return "refused";
		book.words.push(word);
		return book.more === undefined ? `did ${word}` : `did ${word} with ${book.more}`;
	},
	recheck(tx, { words }) {
		const dubious = words.find((word) => word.startsWith("recheck"));
		if (dubious === undefined) return null;
		return tx.query("select 1").then(() => {
			if (due(dubious, "recheck")) throw new NeedsMoreLocks(`more for ${dubious}`);
		});
	},
	weigh: () => 1,
	save: (tx, { words }) => words.map((word) => tx.query("insert into done (word) values ($1)", [word])),
	findBlocked: async () => null,
	identities: () => [],
};

const done = async (): Promise<string[]> => {
	const { rows } = await database.db.query<{ word: string }>("select word from done order by n");
	return rows.map(({ word }) => word);
};

async function ask(words: readonly string[]): Promise<string[]> {
	const engine: Engine<string, string> = createEngine(database.db, steps);
	const answers = await Promise.allSettled(words.map((word) => engine.execute(word)));
	return answers.map((one) => {
		if (one.status === "rejected") return String(one.reason);
		return isRefusal(one.value) ? one.value.refusal : one.value;
	});
}

describe("a batch", () => {
	it("is one transaction; a refusal in it disturbs nobody", async () => {
		expect(await ask(["a", "no", "b"])).toEqual(["did a", "refused", "did b"]);
		expect(opened).toEqual([["a", "no", "b"]]);
		expect(await done()).toEqual(["a", "b"]);
	});

	it("is run again as a whole after a conflict", async () => {
		expect(await ask(["a", "conflict:3", "b"])).toEqual(["did a", "did conflict:3", "did b"]);
		expect(opened.length).toBe(4);
		expect(await done()).toEqual(["a", "conflict:3", "b"]);
	});

	it("whose conflict lasts is run in halves; only the one in conflict pays", async () => {
		expect(await ask(["a", "conflict:6 deadlock", "b"])).toEqual(["did a", "did conflict:6 deadlock", "did b"]);
		expect(opened.slice(4).map((words) => words.join())).toEqual([
			"a",
			...Array.from({ length: 3 }, () => "conflict:6 deadlock,b"),
		]);
	});

	it("with one command that never gets through answers it `retry`, and the others their own", async () => {
		expect(await ask(["a", "conflict:99", "b"])).toEqual(["did a", "retry", "did b"]);
		expect(await done()).toEqual(["a", "b"]);
	});

	it.each(["poison", "broken"])(
		"with one command that fails by a bug (%s) fails that one alone, and does it for the others once",
		async (word) => {
			const answers = await ask(["a", word, "b"]);
			expect([answers[0], answers[2]]).toEqual(["did a", "did b"]);
			expect(answers[1]).toMatch(/^error: asked for|^Error: bug: poison/);
			expect(await done()).toEqual(["a", "b"]);
		},
	);

	it("two commands of which collide in the database: one is done, the other tried until it is told `retry`", async () => {
		expect((await ask(["same", "same", "b"])).sort()).toEqual(["did b", "did same", "retry"]);
		expect((await done()).sort()).toEqual(["b", "same"]);
	});
});

describe("batches one after the other", () => {
	it("keep the order in which their commands came, also when one of them has to be run again", async () => {
		const engine: Engine<string, string> = createEngine(database.db, steps);
		const first = engine.execute("conflict:2");
		await new Promise(setImmediate); // the first has begun, the others wait for it
		await Promise.all([first, engine.execute("a"), engine.execute("b")]);
		await engine.drain();
		expect(opened).toEqual([["conflict:2"], ["conflict:2"], ["conflict:2"], ["a", "b"]]);
		expect(await done()).toEqual(["conflict:2", "a", "b"]);
	});

	it("leave no connection behind", async () => {
		const engine: Engine<string, string> = createEngine(database.db, steps);
		for (const word of ["a", "b", "poison", "c"]) await engine.execute(word).catch(() => undefined);
		await engine.drain();
		await new Promise(setImmediate);
		expect(database.db.pool.idleCount).toBe(database.db.pool.totalCount);
	});
});

describe("a command alone", () => {
	it("is run again after a conflict, five times", async () => {
		expect(await ask(["conflict:5"])).toEqual(["did conflict:5"]);
		expect(opened.length).toBe(6);
		expect(await ask(["conflict:6"])).toEqual(["retry"]);
	});
});

describe("a batch that needs more rows than it locked", () => {
	it("begins again with what it learned", async () => {
		expect(await ask(["again:1", "b"])).toEqual(["did again:1 with more for again:1", "did b with more for again:1"]);
		expect(await done()).toEqual(["again:1", "b"]);
	});

	it("and learns it only while it is being saved: what was saved is undone, and it begins again", async () => {
		expect(await ask(["recheck:2", "b"])).toEqual([
			"did recheck:2 with more for recheck:2",
			"did b with more for recheck:2",
		]);
		expect(opened.length).toBe(3);
		expect(await done()).toEqual(["recheck:2", "b"]);
	});

	it("whose recheck finds nothing is done once", async () => {
		expect(await ask(["recheck:0", "b"])).toEqual(["did recheck:0", "did b"]);
		expect(opened.length).toBe(1);
		expect(await done()).toEqual(["recheck:0", "b"]);
	});

	it("and never has enough is told `retry` for the command that never has", async () => {
		expect(await ask(["again:99", "b"])).toEqual(["retry", "did b"]);
		expect(await done()).toEqual(["b"]);
	});
});

describe("commands in a transaction of the caller's", () => {
	it("are done or undone with it", async () => {
		const client = await database.db.take();
		const tx = client as unknown as Query;
		try {
			await client.query("begin");
			expect(await executeIn(tx, steps, ["a", "no"])).toEqual(["did a", "refused"]);
			expect(await executeIn(tx, steps, ["b"])).toEqual(["did b"]);
			await client.query("rollback");
			expect(await done()).toEqual([]);
			await client.query("begin");
			await executeIn(tx, steps, ["c"]);
			await client.query("commit");
			expect(await done()).toEqual(["c"]);
		} finally {
			client.release();
		}
	});
});
