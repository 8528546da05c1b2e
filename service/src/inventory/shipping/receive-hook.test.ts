import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { createReceiveHook } from "./receive-hook.ts";

const SETTINGS = { secret: "a-secret-of-some-length", platformUrl: "https://platform.example" };

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

async function keys(): Promise<string[]> {
	const { rows } = await database.db.query<{ key: string }>(
		"select key from graphile_worker._private_jobs order by key",
	);
	return rows.map(({ key }) => key);
}

const notice = (n: number): string => JSON.stringify({ resource_url: `https://platform.example/v2/labels/se-${n}` });

it("a stranger is not known; the same hint twice is one job; and of a flood one sweep is made", async () => {
	let now = 0;
	const hook = createReceiveHook(database.db, SETTINGS, () => now);
	expect([hook.isKnown("another"), hook.isKnown(""), hook.isKnown(SETTINGS.secret)]).toEqual([false, false, true]);
	await hook.take(notice(1));
	await hook.take(notice(1));
	expect(await keys()).toEqual(["take_hint:/v2/labels/se-1"]);
	for (let n = 0; n < 350; n++) await hook.take(notice(n));
	const flooded = await keys();
	expect(flooded).toHaveLength(300 - 2 + 1); // two were spent above, on one that came again; and the sweep
	expect(flooded).toContain("sweep_boxes:all");
	now = 60_000;
	await hook.take(notice(999));
	expect(await keys()).toContain("take_hint:/v2/labels/se-999");
});
