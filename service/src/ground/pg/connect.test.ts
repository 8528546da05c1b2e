import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { openSilencer } from "../../../test/silencer.ts";
import { openDatabase } from "./connect.ts";
import { ConnectionLost, isConflict, isConnectionLoss, PoolBusy, sqlStateOf } from "./faults.ts";

let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const raise = (sqlstate: string) => `do $$ begin raise exception 'asked for' using errcode = '${sqlstate}'; end $$`;

describe("statements sent together", () => {
	it.each(["25006", "55P03", "40P01", "40001", "22012"])(
		"all fail with the first failure (%s), whichever of them is looked at first",
		async (sqlstate) => {
			const client = await database.db.take();
			try {
				await client.query("begin");
				const sent = ["select 1", raise(sqlstate), "select 2", "select 3"].map((text) => client.query(text));
				const states = (await Promise.allSettled(sent)).map((one) =>
					one.status === "rejected" ? sqlStateOf(one.reason) : "answered",
				);
				expect(states).toEqual(["answered", sqlstate, sqlstate, sqlstate]);
				await client.query("rollback");
				// the failure belongs to its transaction: the next one gets its own error
				await client.query("begin");
				await expect(client.query(raise("23505"))).rejects.toMatchObject({ code: "23505" });
				await client.query("rollback");
			} finally {
				client.release();
			}
		},
	);
});

describe("an error", () => {
	it("without an SQLSTATE is a lost connection, whatever its code", async () => {
		const nobody = openDatabase("postgresql://someone@127.0.0.1:1/none");
		const error = await nobody.query("select 1").catch((caught: unknown) => caught);
		expect(error).toBeInstanceOf(ConnectionLost);
		expect(isConnectionLoss(error)).toBe(true);
		await nobody.close();
	});

	it("of a pool whose connections are all in use says so: nothing was sent", async () => {
		const one = openDatabase(database.url, { max: 1, connectWithinMs: 50 });
		const taken = await one.take();
		await expect(one.query("select 1")).rejects.toThrow(PoolBusy);
		taken.release();
		await one.query("select 1");
		await one.close();
	});

	it("of a server that ends the connection is a lost connection too", async () => {
		const error = await database.db
			.query("select pg_terminate_backend(pg_backend_pid())")
			.catch((caught: unknown) => caught);
		expect(isConnectionLoss(error)).toBe(true);
	});

	it("of ours is neither a lost connection nor a conflict", () => {
		for (const error of [new TypeError("x is not a function"), new Error("bug: below zero"), "text", null]) {
			expect([isConnectionLoss(error), isConflict(error)]).toEqual([false, false]);
		}
	});
});

describe("a connection that falls silent", () => {
	it("is given up within its limit: every statement under way on it fails, and none waits for ever", async () => {
		const silencer = await openSilencer(database.url);
		const db = openDatabase(silencer.url, { max: 1, answerWithinMs: 200 });
		await db.query("select 1");
		silencer.silence();
		const client = await db.take();
		const sent = await Promise.allSettled(["select 1", "select 2", "select 3"].map((text) => client.query(text)));
		expect(sent.map((one) => one.status === "rejected" && one.reason instanceof ConnectionLost)).toEqual([
			true,
			true,
			true,
		]);
		client.release(true);
		await db.close();
		await silencer.close();
	});
});

describe("a session", () => {
	it("says its settings itself, so that a pooler which drops those of the start-up packet changes nothing", async () => {
		const db = openDatabase(database.url, { indexPlansOnly: true, lockTimeoutMs: 123, idleInTransactionMs: 456 });
		const { rows } = await db.query(
			"select name, setting from pg_settings where name = any($1::text[]) and source = 'session' order by 1",
			[["enable_seqscan", "lock_timeout", "idle_in_transaction_session_timeout", "client_connection_check_interval"]],
		);
		expect(rows).toEqual([
			{ name: "client_connection_check_interval", setting: "1000" },
			{ name: "enable_seqscan", setting: "off" },
			{ name: "idle_in_transaction_session_timeout", setting: "456" },
			{ name: "lock_timeout", setting: "123" },
		]);
		await db.close();
	});
});
