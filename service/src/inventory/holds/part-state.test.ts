import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { stateUnder } from "./hold.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const ask = async (status: string, own: string | null) => {
	const { rows } = await database.db.query<{ state: string | null }>("select part_state($1, $2) as state", [
		status,
		own,
	]);
	return rows[0]?.state;
};

it.each(Object.entries(stateUnder))(
	"a part of a hold that is %s is %s, here and in the database",
	async (status, state) => {
		expect(await ask(status, null)).toBe(state);
	},
);

it("the table knows every status that a hold can have", async () => {
	const { rows } = await database.db.query<{ rule: string }>(
		"select pg_get_constraintdef(oid) as rule from pg_constraint where conname = 'hold_status_check'",
	);
	const statuses = [...(rows[0]?.rule ?? "").matchAll(/'(\w+)'/g)].map(([, status]) => status);
	expect(new Set(statuses)).toEqual(new Set(Object.keys(stateUnder)));
});

it("a state of its own comes first", async () => {
	expect(await ask("active", "displaced")).toBe("displaced");
});
