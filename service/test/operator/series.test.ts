import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { GetSeries } from "../../src/upkeep/series/admin-contract.ts";
import { deleteOldPoints } from "../../src/upkeep/series/sql.ts";
import { writeSeries, writeStates } from "../../src/upkeep/series/write-series.ts";
import { type House, openHouse } from "../house.ts";
import { type As, operate } from "../operate.ts";
import { until } from "../processes/child.ts";

let house: House;
let socket: As;
let token: string;

beforeAll(async () => {
	house = await openHouse({ nodes: 2 });
	socket = { socket: must(house.nodes[0], "a node").socket };
	await house.stock({ TEA: 10 });
	({ token } = await house.mint({ scopes: ["atp.reserve", "atp.release"] }));
});
afterAll(() => house.close());

interface Line {
	readonly label: string;
	readonly points: readonly { readonly at: string; readonly value: number }[];
}
const series = async (query: string): Promise<Line[]> => {
	const { status, json } = await operate(socket, GetSeries, { query });
	expect(status).toBe(200);
	return json.data.lines;
};
/** The sum of each line. */
const sums = async (query: string): Promise<Record<string, number>> =>
	Object.fromEntries(
		(await series(query)).map(({ label, points }) => [label, points.reduce((sum, { value }) => sum + value, 0)]),
	);
const write = async (): Promise<void> => {
	for (const { deps } of house.nodes) await writeSeries(house.db, must(deps, "parts").tally);
};

describe("Figures over time", () => {
	it("add up what all nodes did, by the minute and by the hour", async () => {
		for (const [node, qty] of [
			[0, 2],
			[1, 3],
			[0, 50],
		] as const) {
			await house.call(token, "/api/v1/reserve", { node, body: { items: [{ sku: "TEA", qty }] } });
		}
		await until("the requests to be written", async () => {
			await write();
			return (await sums("?name=requests"))["201"] === 2 && (await sums("?name=refusals")).no_inventory === 1;
		});
		for (const step of ["minute", "hour"]) {
			expect(await sums(`?name=holds&step=${step}`)).toEqual({ made: 2 });
			expect(await sums(`?name=requests&step=${step}`)).toEqual({ 201: 2, 409: 1 });
		}
	});

	it("are the last sample of a state", async () => {
		await writeStates(house.db, "UTC");
		await writeStates(house.db, "UTC");
		expect(await sums("?name=units")).toMatchObject({ "(shared) available": 5, "(shared) held": 5 });
		expect(await sums("?name=orders")).toEqual({});
	});

	it("are those of the asked time", async () => {
		expect(await series("?name=holds&to=2026-01-01T00:00:00Z")).toEqual([]);
		const { status } = await operate(socket, GetSeries, { query: "?name=holds&from=yesterday" });
		expect(status).toBe(400);
	});

	it("are deleted when their step is no longer kept", async () => {
		await house.db.query(
			`insert into series_point (name, step, at, label, value)
			 select 'deliveries', s, now() - (case s when 'minute' then interval '48 hours' else interval '400 days' end) - m, 'x', 1
			   from unnest(array['minute', 'hour']) s cross join unnest(array[interval '-1 minute', interval '1 minute']) m`,
		);
		await deleteOldPoints(house.db);
		const { rows } = await house.db.query("select step from series_point where name = 'deliveries' order by step");
		expect(rows).toEqual([{ step: "hour" }, { step: "minute" }]);
	});
});
