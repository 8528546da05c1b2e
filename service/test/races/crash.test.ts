import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/assembly/commands.ts";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { type EmbeddedPostgres, openEmbedded } from "../../src/ground/embedded/embedded.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { type Database, openDatabase } from "../../src/ground/pg/connect.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { makeDataFolder, openDataPlace } from "../data-folder.ts";
import { LINKS } from "../links.ts";
import { audit } from "../model/audit.ts";
import { settleTowns } from "../model/settle-town.ts";
import { makeTown, type Town } from "../model/town.ts";
import { killAll, start, until } from "../processes/child.ts";
import { sizeOr } from "../sizes.ts";
import { before, commandOf, KILLED, type Killed, STATES, stateOf, WRITES, writeCommand } from "./crash-commands.ts";
import { openStoppingPipe, type Stop, type StoppingPipe } from "./stopping-pipe.ts";

/*
 * The process that carries out a command, or its PostgreSQL process, is killed with SIGKILL at each step of the
 * transaction. Uses a PostgreSQL of its own, because all its processes end when one is killed.
 */

/** The server loses no commit when one of its processes is killed; power failures are tested elsewhere. */
const SETTINGS = { fsync: "off", synchronous_commit: "on", full_page_writes: "off" };
/** A normal run tests one in this many failure points, a different one for each command. */
const EVERYDAY_STRIDE = 8;
const CHILD = join(import.meta.dirname, "../processes/carry-out.ts");

let folder: string;
let server: EmbeddedPostgres;
let pipe: StoppingPipe;
let db: Database;
let towns = 0;
let kills = 0;

beforeAll(async () => {
	folder = await openDataPlace("crash");
	await makeDataFolder(join(folder, "data"));
	server = await openEmbedded({ dataDir: join(folder, "data"), role: "tool", settings: SETTINGS });
	pipe = await openStoppingPipe(server.url);
	db = openDatabase(server.url, { name: "test" });
});
afterEach(killAll);
afterAll(async () => {
	await db.close();
	await pipe.close();
	await server.close();
	await rm(folder, { recursive: true, force: true });
});

async function openEngine(url: string): Promise<StockEngine> {
	const catalog = createCatalogCache();
	await catalog.read(db);
	return openStockEngine(url, { catalog, timeZone: "UTC", links: LINKS });
}

async function withEngine<T>(url: string, work: (engine: StockEngine) => Promise<T>): Promise<T> {
	const engine = await openEngine(url);
	try {
		return await work(engine);
	} finally {
		await engine.close();
	}
}

const execute = async (engine: StockEngine, town: Town, what: Killed, attempt: string): Promise<Answer> =>
	(await engine.execute(commandOf(town, what, attempt) as never)) as Answer;

async function begin(what: Killed): Promise<Town> {
	const town = makeTown(`k${++towns}`);
	await settleTowns(db, [town]);
	await withEngine(server.url, async (engine) => {
		for (const command of before(town, what)) await engine.execute(command as never);
	});
	expect(await stateOf(db, town)).toBe(STATES[what].undone);
	return town;
}

/** A failure point with a name. */
interface Point extends Stop {
	readonly name: string;
	/** Whether the command must have been done by the time the process was killed; null: either is possible. */
	readonly done: boolean | null;
}

/** Every step of an undisturbed command, from BEGIN to the answer of COMMIT. */
async function pointsOf(what: Killed): Promise<Point[]> {
	const town = await begin(what);
	void pipe.watch();
	await withEngine(pipe.url, (engine) => execute(engine, town, what, "dry"));
	expect(await stateOf(db, town)).toBe(STATES[what].done);
	const { seen } = pipe;
	const first = seen.findIndex((text) => text.startsWith("begin"));
	const commit = seen.lastIndexOf("commit");
	expect(seen.slice(first, commit)).toEqual(expect.arrayContaining([...WRITES[what], "insert_moves"]));
	const points: Point[] = [
		{ name: "before BEGIN", statement: first, moment: "before it", done: false },
		...seen
			.slice(first, commit)
			.map(
				(text, n): Point => ({ name: `after ${text}`, statement: first + n, moment: "when it was done", done: false }),
			),
		{ name: "COMMIT sent", statement: commit, moment: "when it was sent", done: null },
		{ name: "COMMIT done, its answer lost", statement: commit, moment: "when it was done", done: true },
		{ name: "COMMIT answered", statement: commit, moment: "when it was answered", done: true },
	];
	const stride = sizeOr(1, EVERYDAY_STRIDE);
	return points.filter((_, n) => (points.length - 1 - n) % stride === KILLED.indexOf(what) % stride);
}

/** A repeat finds out the outcome of the first attempt, and does what is left to do. */
async function repeat(town: Town, what: Killed, done: boolean): Promise<void> {
	await withEngine(server.url, async (engine) => {
		for (const [n, again] of [done, true].entries()) {
			const answer = await execute(engine, town, what, `repeat ${n}`);
			expect(heard(what, answer), `repeat ${n}`).toBe(again);
			expect(await stateOf(db, town)).toBe(STATES[what].done);
		}
	});
}

/** Whether the answer says that it had been done before. */
function heard(what: Killed, answer: Answer): boolean {
	if (what === "ship") return isRefusal(answer) && answer.refusal === "wrong_state"; // it is shipped
	if (isRefusal(answer)) throw new Error(`${what}: ${answer.refusal}: ${answer.message}`);
	if ("record" in answer) return answer.record === null;
	if ("already" in answer) return answer.already;
	return "moved" in answer && answer.moved === 0;
}

describe.each(KILLED)("%s", (what) => {
	it("by a process that is killed at any step is done once or not at all, and a repeat finds out which", async () => {
		for (const { name, done, ...stop } of await pointsOf(what)) {
			const town = await begin(what);
			const reached = pipe.watch(stop);
			const command = writeCommand(commandOf(town, what, "killed"));
			const child = start(process.execPath, [CHILD, server.url, pipe.url, command]);
			await Promise.race([reached, child.exited.then(() => fail(`${what}, ${name}: ${child.errors.join("\n")}`))]);
			await child.kill();
			kills++;
			await until("its transaction to end", transactionsEnded);
			const was = await stateOf(db, town);
			const { done: isDone, undone } = STATES[what];
			expect(done === null ? [undone, isDone] : [done ? isDone : undone], `${what}, ${name}`).toContain(was);
			await repeat(town, what, was === isDone);
		}
		expect(await audit(db)).toEqual([]);
	}, 1_800_000);

	it("on a server of which the process behind it is killed at any step is done exactly once, and answered as done", async () => {
		for (const { name, done: _, ...stop } of await pointsOf(what)) {
			const town = await begin(what);
			const engine = await openEngine(pipe.url);
			const reached = pipe.watch(stop);
			const crashed = await seeCrash();
			const answer = execute(engine, town, what, "killed");
			process.kill(await reached, "SIGKILL");
			kills++;
			const said = await answer.catch((error: unknown) => fail(`${what}, ${name}: ${String(error)}`));
			if (isRefusal(said)) fail(`${what}, ${name}: ${said.refusal}: ${said.message}`);
			expect(heard(what, said), `${what}, ${name}`).toBe(false);
			await engine.close();
			await crashed();
			await until("the server to be back", () => db.query("select 1").catch(() => null));
			expect(await stateOf(db, town), `${what}, ${name}`).toBe(STATES[what].done);
			await repeat(town, what, true);
		}
		expect(await audit(db)).toEqual([]);
	}, 1_800_000);
});

/**
 * Watches the server. The returned function resolves when all its processes have ended and the test's connections are
 * new.
 */
async function seeCrash(): Promise<() => Promise<void>> {
	const other = new pg.Client(server.url);
	other.on("error", () => undefined); // it is to be ended
	await other.connect();
	const ended = new Promise((resolve) => other.once("end", resolve));
	return async () => {
		await ended;
		await db.close();
		db = openDatabase(server.url, { name: "test" });
	};
}

/** A transaction whose client was killed ends when the server sees it. */
async function transactionsEnded(): Promise<boolean> {
	const { rows } = await db.query<{ n: number }>(
		"select count(*)::int as n from pg_stat_activity where application_name = 'holdfast engine'",
	);
	return rows[0]?.n === 0;
}

function fail(why: string): never {
	throw new Error(why);
}

it("somebody was killed", () => {
	expect(kills).toBeGreaterThanOrEqual(2 * KILLED.length * 2);
});
