import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import type { MintedKey } from "../../src/partners/keys/mint-key.ts";
import { GetSeries } from "../../src/upkeep/series/admin-contract.ts";
import { deleteOldPoints } from "../../src/upkeep/series/sql.ts";
import { writeSeries, writeStates } from "../../src/upkeep/series/write-series.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";

let house: House;
let acme: MintedKey;
let other: MintedKey;

beforeAll(async () => {
	house = await openHouse({ nodes: 2 });
	await house.stock({ TEA: 10 });
	const scopes = ["atp.reserve", "atp.release"] as const;
	acme = await house.mint({ name: "web", partner: "Acme", scopes });
	other = await house.mint({ name: "web", partner: "Other", scopes });
});
afterAll(() => house.close());

interface Point {
	readonly at: string;
	readonly by: { readonly [label: string]: number };
	readonly n: number;
}
const series = async (query: string): Promise<Point[]> => {
	const { status, json } = await operate(house, GetSeries, { query });
	expect([query, status]).toEqual([query, 200]);
	for (const { by, n } of json.data.points as Point[]) {
		expect(n).toBe(Object.values(by).reduce((sum, value) => sum + value, 0));
	}
	return json.data.points;
};
const refused = async (query: string): Promise<{ status: number; code: string; message: string }> => {
	const { status, json } = await operate(house, GetSeries, { query });
	return { status, ...json.error };
};
/** The sum of each line. */
const sums = async (query: string): Promise<Record<string, number>> => {
	const sum: Record<string, number> = {};
	for (const { by } of await series(query)) {
		for (const [label, value] of Object.entries(by)) sum[label] = (sum[label] ?? 0) + value;
	}
	return sum;
};
/** Resolves when the nodes have written this many figures of a series, which they take from the log and the sweep. */
const written = (name: string, expected: number): Promise<boolean> =>
	until(`${expected} ${name} to be written`, async () => {
		for (const { deps } of house.nodes) await writeSeries(house.db, must(deps, "parts").tally);
		const { rows } = await house.db.query<{ n: number }>(
			"select coalesce(sum(value), 0)::int as n from series_point where name = $1 and step = 'hour'",
			[name],
		);
		return rows[0]?.n === expected;
	});
const reserve = ({ token }: MintedKey, qty: number, node: 0 | 1 = 0) =>
	house.call(token, "/api/v1/reserve", { node, body: { items: [{ sku: "TEA", qty }] } });

describe("Figures over time", () => {
	it("add up what all nodes did, by the minute, the hour and the day, of all keys and of each by itself", async () => {
		await reserve(acme, 2, 0);
		await reserve(acme, 3, 1);
		await reserve(acme, 50, 0);
		const { json } = await reserve(other, 1, 1);
		const [held] = [json.data.reservation_token];
		await house.call(other.token, "/api/v1/release", { body: { reservation_token: held } });
		await written("requests", 5);
		for (const step of ["minute", "hour", "day"]) {
			expect(await sums(`?name=holds&step=${step}`)).toEqual({ made: 3, released: 1 });
			expect(await sums(`?name=requests&step=${step}`)).toEqual({ 200: 1, 201: 3, 409: 1 });
			for (const key of [acme.pk, "Acme/web"].map(encodeURIComponent)) {
				expect(await sums(`?name=holds&step=${step}&key=${key}`)).toEqual({ made: 2 });
				expect(await sums(`?name=requests&step=${step}&key=${key}`)).toEqual({ 201: 2, 409: 1 });
				expect(await sums(`?name=refusals&step=${step}&key=${key}`)).toEqual({ no_inventory: 1 });
			}
			expect(await sums(`?name=holds&step=${step}&key=${other.pk}`)).toEqual({ made: 1, released: 1 });
			expect(await sums(`?name=requests&step=${step}&key=${other.pk}`)).toEqual({ 200: 1, 201: 1 });
			expect(await sums(`?name=refusals&step=${step}&key=${other.pk}`)).toEqual({});
		}
	});

	it("have the contract's form, with what was asked for", async () => {
		const { json } = await operate(house, GetSeries, {
			query: `?name=holds&step=day&key=${acme.pk}&from=2026-02-27T13:00:00Z&to=2026-03-02T00:00:00Z`,
		});
		expect(json).toEqual({
			data: {
				name: "holds",
				step: "day",
				key: acme.pk,
				from: "2026-02-27T00:00:00.000Z",
				to: "2026-03-02T00:00:00.000Z",
				points: [],
			},
		});
	});

	it("count a hold that expires for the key that made it", async () => {
		await house.db.query("update hold set expires_at = now() - interval '1 second' where status = 'active'");
		await written("holds", 6);
		expect(await sums(`?name=holds&key=${acme.pk}`)).toEqual({ made: 2, expired: 2 });
		expect(await sums(`?name=holds&key=${other.pk}`)).toEqual({ made: 1, released: 1 });
	});

	it("of a key's deliveries are those to the endpoints of its partner in its environment", async () => {
		const ofSandbox = { environment: "sandbox", brandCode: "SANDBOX", sharedPool: false } as const;
		const sandbox = await house.mint({ name: "trial", partner: "Acme", scopes: ["atp.check"], ...ofSandbox });
		const { rows } = await house.db.query<{ pk: string; id: string }>(
			`insert into webhook_endpoint (endpoint_id, partner_id, environment, url, event_types, status, inactive_reason, api_date, version)
			 select gen_random_uuid(), partner_id, environment, 'https://' || pk || '.example', array['order.held'],
			        'inactive', 'partner', '2026-09-06', row_number() over (order by pk)
			   from api_key where pk = any($1) returning substring(url from '//(.*)[.]example') as pk, endpoint_id as id`,
			[[acme.pk, other.pk, sandbox.pk]],
		);
		const { tally } = house.deps;
		for (const [{ pk }, label] of [
			[acme, "delivered"],
			[other, "pending"],
			[sandbox, "exhausted"],
		] as const) {
			tally.add("deliveries", label, must(rows.find((row) => row.pk === pk)?.id, "an endpoint"));
		}
		await written("deliveries", 3);
		expect(await sums("?name=deliveries")).toEqual({ delivered: 1, pending: 1, exhausted: 1 });
		expect(await sums(`?name=deliveries&key=${acme.pk}`)).toEqual({ delivered: 1 });
		expect(await sums(`?name=deliveries&key=${other.pk}`)).toEqual({ pending: 1 });
		expect(await sums(`?name=deliveries&key=${sandbox.pk}`)).toEqual({ exhausted: 1 });
		expect(await sums(`?name=holds&key=${sandbox.pk}`)).toEqual({});
	});

	it("are the last sample of a state, in which what is no longer there is none", async () => {
		await house.db.query(
			`insert into series_point (name, step, at, label, value)
			 select 'units', s, date_trunc(s, now()), 'GONE held', 7 from unnest(array['minute', 'hour']) s`,
		);
		await writeStates(house.db, "UTC");
		await writeStates(house.db, "UTC");
		const last = { "(shared) available": 10, "(shared) held": 0, "GONE held": 0 };
		expect((await series("?name=units"))[0]?.by).toMatchObject(last);
		expect((await series("?name=units&step=minute")).at(-1)).toMatchObject({ by: last });
		expect((await series("?name=orders&step=day")).map(({ by, n }) => [by, n])).toEqual([
			[{ placed: 0, held: 0, picked: 0, partially_shipped: 0 }, 0],
		]);
	});

	it("are refused with what to do instead, where they would be too many or cannot be had", async () => {
		expect(await refused("?name=holds&from=yesterday")).toMatchObject({ status: 400, code: "invalid_input" });
		expect(await refused("?name=holds&step=week")).toMatchObject({ status: 400, code: "invalid_input" });
		expect(await refused("?name=money")).toMatchObject({ status: 400, code: "invalid_input" });
		const long = await refused("?name=holds&from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z");
		expect(long).toMatchObject({ status: 400, code: "invalid_input" });
		expect(long.message).toContain("at most 1500 points, and there are 8760 hours");
		expect(long.message).toContain("ask with step=day");
		const days = "?name=holds&step=day&from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z";
		expect(await series(days)).toEqual([]);
		for (const name of ["orders", "units"]) {
			const { status, message } = await refused(`?name=${name}&key=${acme.pk}`);
			expect([status, message]).toEqual([400, expect.stringContaining(`${name} are not counted by key`)]);
		}
		expect(await refused("?name=holds&key=nobody")).toMatchObject({ status: 404, code: "not_found" });
		expect(await refused("?name=holds&key=web")).toMatchObject({ status: 400, code: "invalid_input" });
	});
});

describe("Days", () => {
	beforeEach(() => house.db.query("delete from series_point where name in ('deliveries', 'orders')"));

	it("are those of UTC, added up from the hours, also over the end of a month", async () => {
		await house.db.query(
			`insert into series_point (name, step, at, label, value)
			 select 'deliveries', 'hour', at, label, 1 from generate_series(timestamptz '2024-02-28T23:00:00Z',
			   '2024-03-01T01:00:00Z', interval '1 hour') at cross join unnest(array['delivered', 'pending']) label`,
		);
		const day = (at: string, n: number) => ({ at: `${at}T00:00:00.000Z`, by: { delivered: n, pending: n }, n: 2 * n });
		const asked = "?name=deliveries&step=day&from=2024-02-28T23:59:59Z&to=2024-04-01T00:00:00Z";
		expect(await series(asked)).toEqual([day("2024-02-28", 1), day("2024-02-29", 24), day("2024-03-01", 2)]);
		const part = "?name=deliveries&step=day&from=2024-02-29T00:00:00Z&to=2024-03-01T01:00:00Z";
		expect(await series(part)).toEqual([day("2024-02-29", 24), day("2024-03-01", 1)]);
	});

	it("of a key are as those of all", async () => {
		const { rows } = await house.db.query<{ key_id: string }>("select key_id from api_key where pk = $1", [acme.pk]);
		await house.db.query(
			`insert into owned_series (owner, name, step, at, label, counts)
			 select $1, 'holds', 'hour', at, 'made', array_fill(0, array[23]) || n
			   from (values (timestamptz '2024-02-29T00:00:00Z', 5), ('2024-03-01T00:00:00Z', 7)) v(at, n)`,
			[rows[0]?.key_id],
		);
		const asked = (step: string) => `?name=holds&step=${step}&from=2024-02-29T23:00:00Z&to=2024-03-02T00:00:00Z`;
		expect(await series(`${asked("day")}&key=${acme.pk}`)).toEqual([
			{ at: "2024-02-29T00:00:00.000Z", by: { made: 5 }, n: 5 },
			{ at: "2024-03-01T00:00:00.000Z", by: { made: 7 }, n: 7 },
		]);
		expect((await series(`${asked("hour")}&key=${acme.pk}`)).map(({ at }) => at)).toEqual([
			"2024-02-29T23:00:00.000Z",
			"2024-03-01T23:00:00.000Z",
		]);
		expect(await series(`${asked("day")}&key=${other.pk}`)).toEqual([]);
	});

	it("have the last sample of a state", async () => {
		await house.db.query(
			`insert into series_point (name, step, at, label, value)
			 values ('orders', 'hour', '2024-02-29T09:00:00Z', 'placed', 8), ('orders', 'hour', '2024-02-29T09:00:00Z', 'held', 1),
			        ('orders', 'hour', '2024-02-29T17:00:00Z', 'placed', 3), ('orders', 'hour', '2024-03-01T02:00:00Z', 'placed', 4)`,
		);
		const asked = "?name=orders&step=day&from=2024-02-29T00:00:00Z&to=2024-03-02T00:00:00Z";
		expect((await series(asked)).map(({ by }) => by)).toEqual([{ placed: 3 }, { placed: 4 }]);
	});
});

describe("Figures that are no longer kept", () => {
	it("are deleted, of all and of each owner", async () => {
		await house.db.query(
			`insert into series_point (name, step, at, label, value)
			 select 'units', s, now() - (case s when 'minute' then interval '48 hours' else interval '400 days' end) - m, 'x', 1
			   from unnest(array['minute', 'hour']) s cross join unnest(array[interval '-1 minute', interval '1 minute']) m`,
		);
		await house.db.query(
			`insert into owned_series (owner, name, step, at, label, counts)
			 select gen_random_uuid(), 'old', s, now() - (case s when 'minute' then interval '49 hours' else interval '401 days' end) - m,
			        'x', array_fill(1, array[case s when 'minute' then 60 else 24 end])
			   from unnest(array['minute', 'hour']) s cross join unnest(array[interval '-1 minute', interval '1 minute']) m`,
		);
		await deleteOldPoints(house.db);
		for (const left of [
			"select step from series_point where label = 'x' order by step",
			"select step from owned_series where name = 'old' order by step",
		]) {
			expect((await house.db.query(left)).rows).toEqual([{ step: "hour" }, { step: "minute" }]);
		}
	});
});
