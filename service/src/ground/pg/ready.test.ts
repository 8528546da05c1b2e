import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { openSilencer, type Silencer } from "../../../test/silencer.ts";
import { wait } from "../lib/clock.ts";
import { type Database, openDatabase } from "./connect.ts";
import { createReadiness, type Works } from "./ready.ts";

let database: TestDatabase;
const opened: Database[] = [];

beforeAll(async () => {
	database = await openTestDatabase();
});
afterEach(async () => {
	await Promise.all(opened.splice(0).map((db) => db.close()));
});
afterAll(() => database.close());

function open(url = database.url): Database {
	const db = openDatabase(url, { max: 2 });
	opened.push(db);
	return db;
}

const works = (of: Partial<Works> = {}): Works => ({
	engineDb: open(),
	silentForMs: () => 0,
	readDb: open(),
	taskDb: open(),
	refreshKeys: async () => undefined,
	dataDir: null,
	...of,
});

const raised = (sqlstate: string): Promise<unknown> =>
	database.db
		.query(`do $$ begin raise exception 'asked for' using errcode = '${sqlstate}'; end $$`)
		.catch((error: unknown) => error);

/** A result is reused for a quarter of a second. */
const later = () => wait(300);

describe("the service is ready", () => {
	it("when every connection that does the work answers and takes writes", async () => {
		expect(await createReadiness(works()).obstacle()).toBeNull();
	});
});

describe("the service is not ready", () => {
	let silencer: Silencer | null = null;
	afterEach(async () => {
		await silencer?.close();
		silencer = null;
	});

	it.each(["engineDb", "readDb"] as const)(
		"while a connection of it is silent (%s), and again when it was replaced",
		async (which) => {
			silencer = await openSilencer(database.url);
			const db = open(silencer.url);
			await db.query("select 1");
			const readiness = createReadiness(works({ [which]: db }));
			silencer.silence();
			expect(await readiness.obstacle()).toBe("the database does not answer");
			await later();
			expect(await readiness.obstacle()).toBeNull();
		},
	);

	it("while an attempt at a batch lasts longer than any wait for a row", async () => {
		let silentFor = 1_600;
		const readiness = createReadiness(works({ silentForMs: () => silentFor }));
		expect(await readiness.obstacle()).toBe("the database does not answer");
		silentFor = 0;
		await later();
		expect(await readiness.obstacle()).toBeNull();
	});

	it("while the keys cannot be read", async () => {
		const refreshKeys = () => Promise.reject(new Error("away"));
		expect(await createReadiness(works({ refreshKeys })).obstacle()).toBe("the database does not answer");
	});

	it("on a server that takes no writes", async () => {
		const url = `${database.url}${database.url.includes("?") ? "&" : "?"}options=-c%20default_transaction_read_only%3Don`;
		expect(await createReadiness(works({ engineDb: open(url) })).obstacle()).toBe("the database accepts no writes");
	});

	it.each(["53100", "53200", "58030"])(
		"after a batch failed for want of disk or memory (%s), until a table can grow again or a batch commits",
		async (sqlstate) => {
			let away = true;
			const growing = open();
			const taskDb: Database = {
				...growing,
				onOne: (work) => (away ? Promise.reject(new Error("no room")) : growing.onOne(work)),
			};
			const readiness = createReadiness(works({ taskDb }));
			readiness.noteTrouble(await raised(sqlstate));
			expect(await readiness.obstacle()).toBe("the database lacks disk or memory");
			away = false;
			await later();
			expect(await readiness.obstacle()).toBeNull();
			away = true;
			readiness.noteTrouble(await raised(sqlstate));
			readiness.noteSuccess();
			await later();
			expect(await readiness.obstacle()).toBeNull();
		},
	);

	it("for no other failure of a batch", async () => {
		const readiness = createReadiness(works({ taskDb: open("postgresql://nobody@127.0.0.1:1/none") }));
		readiness.noteTrouble(await raised("40001"));
		readiness.noteTrouble(new Error("bug: something"));
		expect(await readiness.obstacle()).toBeNull();
	});
});
