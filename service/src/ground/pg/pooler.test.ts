import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { hasPgbouncer, openPgbouncer, type Pgbouncer } from "../../../test/pgbouncer.ts";
import { killAll } from "../../../test/processes/child.ts";
import { holdfast } from "../../../test/processes/holdfast.ts";
import { newKeyRingEntry } from "../../partners/keys/key-ring.ts";
import { openDatabase } from "./connect.ts";
import { sharesSessions } from "./pooler.ts";

/** Checks one address. */
const LOOKS = 20;
/** Number of other clients that use the server meanwhile. */
const OTHERS = 8;

let database: TestDatabase;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(async () => {
	await killAll();
	await database.close();
});

async function looksAt(url: string): Promise<Set<boolean>> {
	const found = new Set<boolean>();
	for (let n = 0; n < LOOKS; n++) found.add(await sharesSessions(url));
	return found;
}

/** Checks while other clients carry out transactions at the same address. */
async function looksBeside(url: string): Promise<Set<boolean>> {
	const others = openDatabase(url, { max: OTHERS, name: "others" });
	let over = false;
	const busy = Array.from({ length: OTHERS }, async () => {
		// with session settings and without prepared statements, which every pooler accepts
		while (!over)
			await others.query("select set_config('holdfast.mark', 'theirs', true), pg_sleep(0.0005)").catch(() => undefined);
	});
	const found = await looksAt(url);
	over = true;
	await Promise.all(busy);
	await others.close().catch(() => undefined);
	return found;
}

describe("A server without a pooler", () => {
	it("is never taken for one, alone or beside others", async () => {
		expect(await looksAt(database.url)).toEqual(new Set([false]));
		expect(await looksBeside(database.url)).toEqual(new Set([false]));
		expect(new Set(await Promise.all(Array.from({ length: LOOKS }, () => sharesSessions(database.url))))).toEqual(
			new Set([false]),
		);
	});
});

describe.runIf(hasPgbouncer)("A pooler (pgbouncer)", () => {
	const open = async (settings: Record<string, string | number>, work: (pooler: Pgbouncer) => Promise<void>) => {
		const pooler = await openPgbouncer(database.url, settings);
		try {
			await work(pooler);
		} finally {
			await pooler.close();
		}
	};

	it.for([
		{ pool_mode: "transaction" },
		{ pool_mode: "transaction", default_pool_size: 1 },
		{ pool_mode: "transaction", default_pool_size: 2, min_pool_size: 2 },
		{ pool_mode: "transaction", min_pool_size: 10, server_round_robin: 1 },
		{ pool_mode: "transaction", server_reset_query_always: 1 },
		{ pool_mode: "statement" },
	])("is noticed each time, by a lone client and beside others: %o", async (settings) => {
		await open(settings, async ({ url }) => {
			expect(await looksAt(url)).toEqual(new Set([true]));
			if (settings.default_pool_size !== 1) expect(await looksBeside(url)).toEqual(new Set([true]));
		});
	});

	it("in session mode is as good as a direct connection", async () => {
		await open({ pool_mode: "session", default_pool_size: 40 }, async ({ url }) => {
			expect(await looksAt(url)).toEqual(new Set([false]));
			expect(await looksBeside(url)).toEqual(new Set([false]));
		});
	});

	it("in transaction mode is refused by a start, a command and the doctor, who say what to do; in session mode by none", async () => {
		const env = (url: string) => ({
			HOLDFAST_DATABASE_URL: url,
			HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
			HOLDFAST_SECRET_KEYS: ring,
		});
		const ring = newKeyRingEntry();
		const sentence = /gives each transaction another session[\s\S]*pool_mode = session/;
		await open({ pool_mode: "transaction" }, async ({ url }) => {
			const [started, migrated, listed, looked] = await Promise.all(
				[["start"], ["migrate"], ["keys", "list"], ["doctor"]].map((command) => holdfast(command, env(url))),
			);
			expect([started?.code, migrated?.code, listed?.code, looked?.code]).toEqual([1, 1, 1, 1]);
			for (const ran of [started, migrated, listed]) expect(ran?.err).toMatch(sentence);
			expect(looked?.out).toMatch(sentence);
		});
		await open({ pool_mode: "session", default_pool_size: 40 }, async ({ url }) => {
			expect((await holdfast(["keys", "list"], env(url))).code).toBe(0);
			expect((await holdfast(["doctor"], env(url))).out).not.toMatch(sentence);
		});
	});
});
