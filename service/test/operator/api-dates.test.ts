import { afterAll, beforeAll, expect, it } from "vitest";
import { RevokeKey } from "../../src/partners/keys/key-admin-contract.ts";
import { ListApiDates } from "../../src/partners/versions/admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";

let house: House;
beforeAll(async () => {
	house = await openHouse();
});
afterAll(() => house.close());

it("The API dates that operators see are those that partners see, page by page", async () => {
	const reply = (await (await fetch(`${house.api}/api/versions`)).json()) as { data: { items: { version: string }[] } };
	const dates = reply.data.items.map(({ version, ...more }) => ({
		date: version,
		...more,
		used_by: [],
		more_users: false,
	}));
	expect(dates.length).toBeGreaterThan(0);
	const socket = { socket: house.socket };
	const all = await operate(socket, ListApiDates);
	expect(all.json.data).toEqual({ items: dates, next_cursor: null });
	const paged: unknown[] = [];
	let cursor = "";
	do {
		const { json } = await operate(socket, ListApiDates, { query: `?limit=1${cursor}` });
		paged.push(...json.data.items);
		cursor = json.data.next_cursor === null ? "" : `&cursor=${json.data.next_cursor}`;
	} while (cursor !== "");
	expect(paged).toEqual(dates);
});

it("Operators see which keys still use a date, and when they were last seen, but not a key that has ended", async () => {
	const socket = { socket: house.socket };
	const keys = [await house.mint({ name: "web" }), await house.mint({ name: "old" })];
	for (const { token } of keys) await house.call(token, "/api/v1/check", { body: { items: [{ sku: "A", qty: 1 }] } });
	const users = async () => (await operate(socket, ListApiDates)).json.data.items[0].used_by;
	const named = async () => (await users()).map(({ key_name }: { key_name: string }) => key_name).toSorted();
	await expect.poll(named).toEqual(["old", "web"]);
	expect(await users()).toContainEqual({
		key: keys[0]?.pk,
		key_name: "web",
		partner: expect.any(String),
		last_seen_at: expect.stringMatching(/^\d{4}-.*Z$/),
	});
	await operate(socket, RevokeKey, { params: { pk: keys[1]?.pk ?? "" }, body: {} });
	expect(await named()).toEqual(["web"]);
});
