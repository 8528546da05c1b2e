import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { monotonicMs, wait } from "../lib/clock.ts";
import { COMMIT } from "./commit.ts";
import { type Database, openDatabase, type Query } from "./connect.ts";
import {
	type Evidence,
	forgetOldEvidence,
	hasEvidenceRow,
	makeEvidenceRow,
	nextSignature,
	OutcomeUnknown,
	outcomeOf,
} from "./evidence.ts";
import { ConnectionLost } from "./faults.ts";
import { transaction } from "./transaction.ts";

/* The outcome of transactions whose COMMIT was not answered, queried on real connections that really end. */

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
	database = await openTestDatabase();
	db = openDatabase(database.url, { max: 4, name: "evidence test" });
	await db.query("create table fact (word text primary key)");
});
beforeEach(() => db.query("truncate fact"));
afterAll(async () => {
	await db.close();
	await database.close();
});

/** A transaction up to the moment before its COMMIT, on a separate connection. */
async function underWay(word: string) {
	const client = await db.take();
	if (!hasEvidenceRow(client)) await makeEvidenceRow(client);
	await client.query("begin");
	const signature = nextSignature(client);
	await signature.write(client as unknown as Query);
	await client.query("insert into fact values ($1)", [word]);
	return { client, evidence: signature.evidence };
}

const facts = async (): Promise<string[]> => {
	const { rows } = await db.query<{ word: string }>("select word from fact order by 1");
	return rows.map(({ word }) => word);
};

const asked = (evidence: Evidence, forMs = 5_000) => outcomeOf(db, evidence, monotonicMs() + forMs);

describe("the outcome of a transaction, by its own evidence", () => {
	it("is committed when it committed, also after its connection has ended", async () => {
		const { client, evidence } = await underWay("a");
		await client.query("commit");
		client.release(true);
		expect(await asked(evidence)).toBe("committed");
		expect(await facts()).toEqual(["a"]);
	});

	it("is rolled back when its connection ended before", async () => {
		const { client, evidence } = await underWay("a");
		client.release(true);
		expect(await asked(evidence)).toBe("rolled back");
		expect(await facts()).toEqual([]);
	});

	it("is told of each transaction of a connection by itself", async () => {
		const first = await underWay("a");
		await first.client.query("commit");
		await first.client.query("begin");
		const second = nextSignature(first.client);
		await second.write(first.client as unknown as Query);
		first.client.release(true);
		expect(await asked(second.evidence)).toBe("rolled back");
		expect(await asked(first.evidence)).toBe("committed");
	});

	it.each(["commit", "rollback"])(
		"is waited for while the server still works on it, and then is right (%s)",
		async (end) => {
			const { client, evidence } = await underWay("a");
			const outcome = asked(evidence);
			expect(await Promise.race([outcome, wait(200).then(() => "waits")])).toBe("waits");
			await client.query(end);
			expect(await outcome).toBe(end === "commit" ? "committed" : "rolled back");
			client.release();
		},
	);

	it("is unknown, not a guess, when the transaction is still under way at the end of patience", async () => {
		const { client, evidence } = await underWay("a");
		expect(await asked(evidence, 100)).toBe("unknown");
		await client.query("rollback");
		client.release();
	});

	it("is not mistaken when a stranger's transaction has the same id: ids play no part in it", async () => {
		const { client, evidence } = await underWay("a");
		client.release(true);
		for (let n = 0; n < 20; n++) await db.query("insert into fact values ($1)", [`stranger ${n}`]);
		expect(await asked(evidence)).toBe("rolled back");
	});

	it("of a connection whose row is gone is no success: the connection must not commit", async () => {
		const { client } = await underWay("a");
		await client.query("commit");
		await db.query("delete from commit_evidence");
		await client.query("begin");
		const signature = nextSignature(client);
		await expect(signature.write(client as unknown as Query)).rejects.toBeInstanceOf(ConnectionLost);
		expect(signature.written).toBe(false);
		client.release(true);
	});
});

describe("a transaction whose COMMIT is not answered", () => {
	/** Ends the connection from the server's side, before or after the commit; the client gets no other information. */
	const cutAtCommit = (pool: Database, after: boolean): Database => ({
		...pool,
		take: async () => {
			const client = await pool.take();
			const query = client.query.bind(client) as (...call: unknown[]) => Promise<unknown>;
			const cut = async (...call: unknown[]) => {
				if (call[0] !== COMMIT) return await query(...call);
				if (after) await query("commit");
				await query("select pg_terminate_backend(pg_backend_pid())").catch(() => undefined);
				throw new ConnectionLost("cut");
			};
			return new Proxy(client, {
				get: (target, name) => {
					const value = Reflect.get(target, name, target) as unknown;
					return name === "query" ? cut : typeof value === "function" ? value.bind(target) : value;
				},
			});
		},
	});

	/** Cuts the first connection that is taken from the pool, and no other. */
	const cutOnce = (pool: Database, after: boolean): Database => {
		const takes = [cutAtCommit(pool, after).take];
		return { ...pool, take: () => (takes.pop() ?? pool.take)() };
	};

	describe.each([
		["a pool", 4],
		["a pool of one connection", 1],
	])("on %s", (_, max) => {
		let pool: Database;
		beforeAll(() => {
			pool = openDatabase(database.url, { max, name: "evidence test" });
		});
		afterAll(() => pool.close());

		it("is a success when it was carried out, and its value is returned", async () => {
			const once = cutOnce(pool, true);
			const value = await transaction(once, async (tx) => {
				await tx.query("insert into fact values ('a')");
				return "done";
			});
			expect(value).toBe("done");
			expect(await facts()).toEqual(["a"]);
		});

		it("is a lost connection when it was not carried out", async () => {
			const once = cutOnce(pool, false);
			const failed = transaction(once, (tx) => tx.query("insert into fact values ('a')"));
			await expect(failed).rejects.toBeInstanceOf(ConnectionLost);
			await expect(failed).rejects.not.toBeInstanceOf(OutcomeUnknown);
			expect(await facts()).toEqual([]);
		});
	});
});

describe("rows of evidence", () => {
	it("are removed a week after their last use, and no sooner", async () => {
		await db.query("delete from commit_evidence");
		await db.query(
			"insert into commit_evidence values (gen_random_uuid(), 1, now() - interval '8 days'), (gen_random_uuid(), 2, now() - interval '6 days')",
		);
		await forgetOldEvidence(db);
		const { rows } = await db.query("select attempt from commit_evidence");
		expect(rows).toEqual([{ attempt: 2 }]);
	});
});

it("a connection whose evidence was forgotten is replaced at its next transaction", async () => {
	const one = openDatabase(database.url, { max: 1, name: "evidence test" });
	const write = (word: string) => transaction(one, (tx) => tx.query("insert into fact values ($1)", [word]));
	await write("before");
	await one.query("delete from commit_evidence");
	await expect(write("lost")).rejects.toThrow(ConnectionLost);
	await write("after");
	expect(await facts()).toEqual(["after", "before"]);
	await one.close();
});
