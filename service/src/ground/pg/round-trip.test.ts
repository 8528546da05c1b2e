import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import type { Query } from "./connect.ts";
import { StatementBug, sqlStateOf } from "./faults.ts";
import { named, prepared } from "./query.ts";
import { inOneRoundTrip } from "./round-trips.ts";

const add = prepared<[n: number]>("add_noted", "insert into noted (n) values ($1) returning n");
const count = prepared<[count: number]>("count_noted", "select count(*)::int from noted");
const divide = prepared<[n: number]>("divide", "select 1 / $1::int");
const show = prepared<[number | null, string[], string, Date | null]>(
	"show",
	"select $1::int, $2::text[], $3::text, $4::timestamptz",
);

let database: TestDatabase;
let client: pg.PoolClient;
let tx: Query;

beforeAll(async () => {
	database = await openTestDatabase();
	client = await database.db.take();
	tx = client as unknown as Query;
});
beforeEach(async () => {
	await tx.query("drop table if exists noted");
	await tx.query("create temporary table noted (n int)");
});
afterAll(async () => {
	client.release();
	await database.close();
});

const stateOf = (one: PromiseSettledResult<unknown>): string | null =>
	one.status === "rejected" ? sqlStateOf(one.reason) : "answered";

describe("statements of one round trip", () => {
	it("are carried out in the order in which they were queued, those without a name among them", async () => {
		const sent = inOneRoundTrip(tx, () => [
			add(tx, [1]),
			count(tx, []),
			tx.query("insert into noted values (2), (3)"),
			count(tx, []),
			add(tx, [4]),
			count(tx, []),
		]);
		const [first, one, , three, last, four] = await Promise.all(sent);
		expect([first, one, three, last, four]).toEqual([[[1]], [[1]], [[3]], [[4]], [[4]]]);
	});

	it("answer the same when they are prepared already: columns and empty answers, texts, lists, times and NULL", async () => {
		const at = new Date("2026-02-03T04:05:06.007Z");
		for (let turn = 0; turn < 3; turn++) {
			const [[shown], [nothing], none] = await Promise.all(
				inOneRoundTrip(tx, () => [
					show(tx, [turn, ['a "b"', "c,\\d"], "ü{}", at]),
					show(tx, [null, [], "", null]),
					prepared("none", "select 1 where false")(tx, []),
				]),
			);
			expect([shown, nothing, none]).toEqual([[turn, ['a "b"', "c,\\d"], "ü{}", at], [null, [], "", null], []]);
		}
	});

	it("fail together when one of them fails, with its error, and those behind it are not carried out", async () => {
		for (let turn = 0; turn < 2; turn++) {
			const sent = inOneRoundTrip(tx, () => [
				tx.query(named("begin_here", "begin")),
				add(tx, [1]),
				divide(tx, [0]),
				add(tx, [2]),
				tx.query(named("commit", "commit")),
			]);
			const states = (await Promise.allSettled(sent)).map(stateOf);
			expect(states).toEqual(["22012", "22012", "22012", "22012", "22012"]);
			await tx.query("rollback");
			expect(await count(tx, [])).toEqual([[0]]);
		}
		expect(await divide(tx, [1])).toEqual([[1]]);
	});

	it("behind a BEGIN that fails are not carried out one by one", async () => {
		const sent = inOneRoundTrip(tx, () => [tx.query(named("no_begin", "begin isolation level none")), add(tx, [1])]);
		expect((await Promise.allSettled(sent)).map(stateOf)).toEqual(["42601", "42601"]);
		expect(await count(tx, [])).toEqual([[0]]);
	});

	it("of which one has a value that cannot be sent are not sent: that is a bug, and the connection is still good", async () => {
		const unsendable = {
			toPostgres: () => {
				throw new Error("it cannot be written down");
			},
		};
		const sent = inOneRoundTrip(tx, () => [add(tx, [1]), add(tx, [unsendable]), add(tx, [2])]);
		for (const one of await Promise.allSettled(sent)) {
			expect(one).toMatchObject({ status: "rejected", reason: { message: "bug: it cannot be written down" } });
			expect(one).toMatchObject({ reason: expect.any(StatementBug) });
		}
		expect(await count(tx, [])).toEqual([[0]]);
	});

	it("of which one has an answer that cannot be read are answered but for that one, and the process lives", async () => {
		const large = prepared("large", "select n::bigint from (values (1), (9007199254740993), (2)) v(n)");
		const sent = inOneRoundTrip(tx, () => [add(tx, [1]), large(tx, []), count(tx, [])]);
		const [first, second, third] = await Promise.allSettled(sent);
		expect([first, third]).toMatchObject([{ value: [[1]] }, { value: [[1]] }]);
		expect(second).toMatchObject({ status: "rejected", reason: expect.any(StatementBug) });
	});

	it("outside a transaction are believed when the server has committed them, not when it has carried them out", async () => {
		await tx.query("drop table if exists child");
		await tx.query("create temporary table parent (n int primary key)");
		await tx.query("create temporary table child (n int references parent deferrable initially deferred)");
		const orphan = prepared("orphan", "insert into child values (1)");
		await expect(orphan(tx, [])).rejects.toMatchObject({ code: "23503" });
		const sent = inOneRoundTrip(tx, () => [add(tx, [1]), orphan(tx, [])]);
		expect((await Promise.allSettled(sent)).map(stateOf)).toEqual(["23503", "23503"]);
		expect(await count(tx, [])).toEqual([[0]]);
	});

	it("with one name must have one text", async () => {
		expect(await prepared("twice", "select 1")(tx, [])).toEqual([[1]]);
		const other = prepared("twice", "select 2")(tx, []);
		await expect(other).rejects.toThrow("bug: two statements are called twice");
		expect(await prepared("twice", "select 1")(tx, [])).toEqual([[1]]);
	});

	it("whose plan no longer fits its table fails once, and is prepared anew", async () => {
		const all = prepared<unknown[]>("all_noted", "select * from noted");
		await add(tx, [7]);
		expect(await all(tx, [])).toEqual([[7]]);
		await tx.query("alter table noted alter n type text");
		await expect(all(tx, [])).rejects.toMatchObject({ code: "0A000" });
		expect(await all(tx, [])).toEqual([["7"]]);
	});
});
