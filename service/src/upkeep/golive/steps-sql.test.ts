import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mint } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { newKeyRingEntry, parseKeyRing } from "../../partners/keys/key-ring.ts";
import { MOST_LOOKS } from "./limits.ts";
import { deleteOldLooks, insertLook } from "./look-sql.ts";
import { insertRun, lookNow, stopRun } from "./sql.ts";
import { giveBack, settleStep, stepIn, takeDueRuns } from "./steps-sql.ts";

const ring = parseKeyRing(newKeyRingEntry());
let database: TestDatabase;
let goLiveId: string;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
	const { db } = database;
	await db.query("update golive_run set state = 'stopped', ended_at = now() where state = 'running'");
	const { keyId } = await mint(db, ring, { environment: "sandbox", brandCode: "SANDBOX", sharedPool: false });
	goLiveId = newId();
	await insertRun(db, { goLiveId, keyId, startedBy: "operator:test", statusUrl: "http://localhost/status.json" });
});

/** When a step is due, in seconds from now; null: it is not. */
async function dueIn(step: string): Promise<number | null> {
	const { rows } = await database.db.query<{ due: number | null }>(
		`select extract(epoch from ${step}_due_at - clock_timestamp())::float8 as due from golive_run where golive_id = $1`,
		[goLiveId],
	);
	return must(rows[0], "the run").due;
}

describe("The due steps of a run", () => {
	it("are taken by one node at a time", async () => {
		const { db } = database;
		const taken = (await Promise.all([1, 2, 3].map(() => takeDueRuns(db)))).flat();
		expect(taken.map((run) => [run.goLiveId, run.steps.map(({ step }) => step)])).toEqual([[goLiveId, ["look"]]]);
		await giveBack(db, goLiveId);
		expect(await takeDueRuns(db)).toHaveLength(1);
	});

	it("are taken again when the node that took them is silent for a minute", async () => {
		const { db } = database;
		expect(await takeDueRuns(db)).toHaveLength(1);
		expect(await takeDueRuns(db)).toEqual([]);
		await db.query("update golive_run set held_until = now() - interval '1 ms' where golive_id = $1", [goLiveId]);
		expect(await takeDueRuns(db)).toHaveLength(1);
	});

	it("come again in five minutes after a look, and every minute during a drill", async () => {
		const { db } = database;
		const [first] = await takeDueRuns(db);
		await settleStep(db, goLiveId, must(first?.steps[0], "a look"));
		expect(await dueIn("look")).toBeGreaterThan(290);
		await db.query("insert into golive_drill values ($1, now(), now() + interval '10 minutes', 'operator:test')", [
			goLiveId,
		]);
		await lookNow(db, goLiveId);
		await giveBack(db, goLiveId);
		const [again] = await takeDueRuns(db);
		await settleStep(db, goLiveId, must(again?.steps[0], "a look"));
		expect(await dueIn("look")).toBeLessThan(61);
	});

	it("that were asked for anew meanwhile stay due", async () => {
		const { db } = database;
		const [taken] = await takeDueRuns(db);
		await lookNow(db, goLiveId);
		await settleStep(db, goLiveId, must(taken?.steps[0], "a look"));
		expect(await dueIn("look")).toBeLessThanOrEqual(0);
	});

	it("other than looks are taken once", async () => {
		const { db } = database;
		await stepIn(db, goLiveId, "repeat", 0);
		const [taken] = await takeDueRuns(db);
		const repeat = must(
			taken?.steps.find(({ step }) => step === "repeat"),
			"the repeat",
		);
		await settleStep(db, goLiveId, repeat);
		expect(await dueIn("repeat")).toBeNull();
	});

	it("of a stopped run are taken by nobody", async () => {
		const { db } = database;
		await stopRun(db, goLiveId, "operator:test", null);
		await lookNow(db, goLiveId);
		expect(await takeDueRuns(db)).toEqual([]);
	});
});

describe("The looks of a run", () => {
	const look = (id: string, skus: readonly string[] = []) =>
		insertLook(database.db, goLiveId, {
			...({ id, source: "address", problem: null, counts: {}, documents: {} } as const),
			items: skus.map((sku) => ({ sku, shownQty: 1, hidden: false, coaUrl: null })),
		});

	it("add their SKUs to those of the run, each once", async () => {
		await look("a", ["SBX-OUT", 'a,b {"c"}']);
		await look("b", ["SBX-LOW", "SBX-OUT"]);
		const { rows } = await database.db.query("select mapped from golive_run where golive_id = $1", [goLiveId]);
		expect(rows).toEqual([{ mapped: ["SBX-LOW", "SBX-OUT", 'a,b {"c"}'] }]);
	});

	it("are kept up to a number, the newest", async () => {
		const { db } = database;
		await db.query(
			`insert into golive_look (golive_id, at, look_id, source, items, counts, documents)
			 select $1::uuid, now() - n * interval '1 minute', 'old_' || n, 'address', '[]', '{}', '{}' from generate_series(1, ${MOST_LOOKS}) n`,
			[goLiveId],
		);
		await look("newest");
		await deleteOldLooks(db, goLiveId);
		const { rows } = await db.query(
			"select count(*)::int as n, bool_or(look_id = 'newest') as newest, bool_or(look_id = 'old_2000') as oldest from golive_look where golive_id = $1",
			[goLiveId],
		);
		expect(rows).toEqual([{ n: MOST_LOOKS, newest: true, oldest: false }]);
	});

	it("of a stopped run are not kept", async () => {
		await stopRun(database.db, goLiveId, "operator:test", null);
		expect(await look("late")).toBeNull();
	});
});
