import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { createReceiveHook, hintIn, isHookSecret } from "./receive-hook.ts";

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
	expect(flooded).toHaveLength(300 - 2 + 1); // two were used above, for a notification that arrived twice; and the sweep
	expect(flooded).toContain("sweep_boxes:all");
	now = 60_000;
	await hook.take(notice(999));
	expect(await keys()).toContain("take_hint:/v2/labels/se-999");
});

const PLATFORM = "https://api.shipstation.example";
const body = (resource_url: unknown): string =>
	JSON.stringify({ resource_url, resource_type: "LABEL_CREATED_V2", data: { a: 1 } });

it.for([
	["/v2/labels/se-1", "/v2/labels/se-1"],
	["/v2/labels/se-1/track", "/v2/labels/se-1/track"],
	["/v2/fulfillments?shipment_id=se-9", "/v2/fulfillments?shipment_id=se-9"],
	["/v2/shipments/../labels/se-1", "/v2/labels/se-1"],
])("a resource of the platform's own is a hint: %s", ([path, hint]) => {
	expect(hintIn(body(PLATFORM + path), PLATFORM)).toBe(hint);
});

it("a platform whose address has a path of its own is asked below it", () => {
	expect(hintIn(body(`${PLATFORM}/proxy/v2/labels/se-1`), `${PLATFORM}/proxy`)).toBe("/v2/labels/se-1");
	expect(hintIn(body(`${PLATFORM}/v2/labels/se-1`), `${PLATFORM}/proxy`)).toBeNull();
});

it.for([
	"https://evil.example/v2/labels/se-1",
	"http://api.shipstation.example/v2/labels/se-1",
	"https://api.shipstation.example:8443/v2/labels/se-1",
	"https://api.shipstation.example@evil.example/v2/labels/se-1",
	"https://api.shipstation.example.evil.example/v2/labels/se-1",
	"https://api.shipstation.example/v1/labels/se-1",
	`https://api.shipstation.example/v2/${"x".repeat(200)}`,
	"/v2/labels/se-1",
	"",
	7,
	null,
])("%j is no hint", (address) => {
	expect(hintIn(body(address), PLATFORM)).toBeNull();
});

it.for(["", "{", "null", "[]", "7", '{"resource_url":{}}'])("a body of %j is no hint", (text) => {
	expect(hintIn(text, PLATFORM)).toBeNull();
});

it("only the secret is the secret", () => {
	expect(isHookSecret("abc", "abc")).toBe(true);
	for (const other of ["", "ab", "abcd", "abC"]) expect(isHookSecret(other, "abc")).toBe(false);
});
