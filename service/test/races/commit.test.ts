import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Command } from "../../src/assembly/commands.ts";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { monotonicMs } from "../../src/ground/lib/clock.ts";
import { type Database, openDatabase } from "../../src/ground/pg/connect.ts";
import { OutcomeUnknown, outcomeOf } from "../../src/ground/pg/evidence.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import type { Reserved } from "../../src/inventory/holds/reserve.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { audit } from "../model/audit.ts";
import { settleTowns } from "../model/settle-town.ts";
import { makeTown, type Town } from "../model/town.ts";
import { type Leak, type LeakyPipe, openLeakyPipe } from "./leaky-pipe.ts";

let database: TestDatabase;
let pipe: LeakyPipe;
let engine: StockEngine;
let town: Town;
let lots = 0;

const origin = { actor: "operator:test", requestId: null };

beforeAll(async () => {
	database = await openTestDatabase();
	town = makeTown("commit");
	await settleTowns(database.db, [town]);
	pipe = await openLeakyPipe(database.url);
	engine = openStockEngine(pipe.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
	await engine.execute(receive("first", 1)); // connected
});
afterAll(async () => {
	await engine.close();
	await pipe.close();
	await database.close();
});

const receive = (batchNumber: string, units: number, formula = "F0"): Extract<Command, { kind: "receive" }> => ({
	kind: "receive",
	origin,
	newFgId: town.id(`lot ${++lots}`),
	formulaId: town.id(formula),
	poolId: 2,
	batchNumber,
	expiresOn: null,
	receivedOn: null,
	units,
});
const reserve = (): Extract<Command, { kind: "reserve" }> => ({
	kind: "reserve",
	origin,
	caller: town.callers.acme,
	newToken: randomUUID(),
	lines: [{ sku: "commit-one", qty: 2, brandCode: undefined }],
	ttlMinutes: 30,
	externalRef: null,
});

const balance = async (batch: string) => {
	const { rows } = await database.db.query<{ received: number; available: number; held: number }>(
		"select received, available, held from lot where formula_id = $1 and batch_number = $2",
		[town.id("F0"), batch],
	);
	return rows[0];
};

const LEAKS: readonly Leak[] = ["before the commit arrives", "the answer is lost", "all answers are lost"];

describe.each(LEAKS)("a connection that breaks at COMMIT: %s", (leak) => {
	it("does what was asked exactly once, and answers it as done", async () => {
		const { broken } = pipe;
		pipe.leak(leak);
		expect(await engine.execute(receive(leak, 10))).toMatchObject({ received: 10 });
		expect(await balance(leak)).toEqual({ received: 10, available: 10, held: 0 });
		pipe.leak(leak);
		const { fgId } = (await engine.execute(receive(leak, 5))) as { fgId: string };
		pipe.leak(leak);
		await engine.execute({ kind: "correct", origin, fgId, units: -1, reason: "recount" });
		expect(await balance(leak)).toEqual({ received: 15, available: 14, held: 0 });
		expect(pipe.broken).toBe(broken + 3);
	});

	it("does so for a hold without a reference too, which could not be told from another", async () => {
		await engine.execute(receive(`${leak} held`, 100));
		const before = await holds();
		pipe.leak(leak);
		const command = reserve();
		const held = (await engine.execute(command)) as Reserved;
		expect([held.hold.reservationToken, held.idempotent]).toEqual([command.newToken, false]);
		expect(await holds()).toBe(before + 1);
	});

	it("does so when every connection of the engine breaks at once", async () => {
		const { broken } = pipe;
		pipe.leak(leak, 2);
		const first = engine.execute(receive(`${leak} one`, 3));
		await pause(0); // so that the commands are in separate batches
		await new Promise(setImmediate);
		const second = engine.execute(receive(`${leak} two`, 4, "F1"));
		expect(await first).toMatchObject({ received: 3 });
		expect(await second).toMatchObject({ received: 4 });
		expect(pipe.broken).toBe(broken + 2);
		expect(await balance(`${leak} one`)).toMatchObject({ received: 3 });
		pipe.leak(leak, 0);
	});
});

const holds = async (): Promise<number> => {
	const { rows } = await database.db.query<{ n: number }>("select count(*) as n from hold");
	return rows[0]?.n ?? 0;
};

/** Cancels a commit's wait for its standby, if it waits; false if the command was answered first. */
async function cancelWait(name: string, answer: Promise<unknown>): Promise<boolean> {
	const answered = answer.then(() => true);
	for (;;) {
		const { rows } = await database.db.query<{ n: number }>(
			"select count(pg_cancel_backend(pid)) as n from pg_stat_activity where wait_event = 'SyncRep' and datname = $1",
			[name],
		);
		if ((rows[0]?.n ?? 0) > 0) return true;
		if (await Promise.race([answered, pause(5, false)])) return false;
	}
}

describe("a server that commits without its standby", () => {
	const server = async (text: string) => {
		await database.db.query(text);
		await database.db.query("select pg_reload_conf()");
	};
	let name: string;
	let waiting: StockEngine;
	let asking: Database;
	beforeAll(async () => {
		const { db, url } = database;
		const { rows: databases } = await db.query<{ name: string }>("select current_database() as name");
		name = databases[0]?.name ?? "";
		await db.query(`alter database ${name} set synchronous_commit = on`); // other databases of the server do not wait
		waiting = openStockEngine(url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
		asking = openDatabase(url, { max: 1 });
		await waiting.execute(receive("warm", 1));
		await server("alter system set synchronous_standby_names = 'nobody'");
		// the server applies the setting with a delay: the first commits may still pass
		const write = () => asking.query("insert into commit_evidence (writer_id, attempt) values (gen_random_uuid(), 0)");
		for (let isCancelled = false; !isCancelled; ) {
			const answer = write();
			isCancelled = await cancelWait(name, answer);
			await answer; // otherwise the next test might cancel this wait once more instead of its own
		}
	});
	afterAll(async () => {
		await server("alter system reset synchronous_standby_names");
		await waiting.close();
		await asking.close();
	});

	it("is not believed, and what it was asked is not done a second time", async () => {
		const answer = waiting.execute(receive("alone", 7)).catch((error: unknown) => error);
		expect(await cancelWait(name, answer)).toBe(true);
		expect(await answer).toBeInstanceOf(OutcomeUnknown);
		expect(await balance("alone")).toMatchObject({ received: 7 });
	});

	it("is not believed either when it has nothing of a transaction: another server may have it", async () => {
		expect(await outcomeOf(asking, { writerId: randomUUID(), attempt: 1 }, monotonicMs() + 100)).toBe("unknown");
	});
});

describe("after all of it", () => {
	it("the books balance", async () => {
		expect(await audit(database.db)).toEqual([]);
	});
});
