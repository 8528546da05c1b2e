import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../test/house.ts";
import { holdfast } from "../../test/processes/holdfast.ts";
import { newKeyRingEntry } from "../partners/keys/key-ring.ts";

let database: TestDatabase;
let env: Record<string, string>;
const run = (...args: string[]) => holdfast(args, env);

beforeAll(async () => {
	database = await openTestDatabase();
	env = { HOLDFAST_DATABASE_URL: database.url, HOLDFAST_SECRET_KEYS: newKeyRingEntry() };
});
afterAll(() => database.close());

describe("holdfast keys", () => {
	it("says of a rotation which older secrets end when, and lists those that still work", async () => {
		const name = ["--name", "rolling", "--partner", "Rolling", "--environment", "sandbox", "--preset", "read_only"];
		await run("keys", "mint", ...name);
		const slowly = await run("keys", "rotate", "rolling", "--overlap-hours", "48", "--json");
		const [until] = slowly.json.old_secrets.map((one: { ends_at: string }) => one.ends_at);
		const quicker = await run("keys", "rotate", "rolling", "--overlap-hours", "24", "--json");
		expect(quicker.json.old_secrets).toHaveLength(2);
		expect(quicker.json.old_secrets.every((one: { ends_at: string }) => one.ends_at < until)).toBe(true);
		const shown = (await run("keys", "list")).out.split("\n").find((line) => line.startsWith("Rolling "));
		const listed = (await run("keys", "list", "--json")).json.items.find(
			(key: { name: string }) => key.name === "rolling",
		);
		const ends = listed.secrets.map((one: { expires_at: string | null }) => one.expires_at);
		expect(ends).toEqual([quicker.json.old_secret_ends_at, quicker.json.old_secret_ends_at, null]);
		expect(shown).toMatch(/ \d{4}-\d\d-\d\d \S+, \d{4}-\d\d-\d\d \S+$/);
		const atOnce = await run("keys", "rotate", "rolling", "--overlap-hours", "0");
		expect(atOnce.out.match(/The secret that was made at \S+Z ended, for good, at \S+Z\./g)).toHaveLength(3);
		expect((await run("keys", "list")).out.split("\n").find((line) => line.startsWith("Rolling "))).not.toMatch(
			/\d{4}-\d\d-/,
		);
	}, 30_000);
});
