import { afterAll, beforeAll, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
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
	const dates = reply.data.items.map(({ version, ...more }) => ({ date: version, ...more }));
	expect(dates.length).toBeGreaterThan(0);
	const socket = { socket: must(house.nodes[0], "a node").socket };
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
