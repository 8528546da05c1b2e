import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/ground/lib/ids.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import { Check, Receipts } from "../../src/inventory/stock/contract.ts";
import { restoreInSteps } from "../recall-steps.ts";
import { openWorld, type Stocked, unique, type World } from "./world.ts";

let world: World;
let acme: string;
let unbound: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
	});
	acme = (await world.key({ brand: "ACME" })).token;
	unbound = (await world.key()).token;
});
afterAll(() => world.stop());

type Query = {
	from?: string;
	to?: string;
	sku?: string;
	batch_number?: string;
	brand_code?: string;
	limit?: number;
	cursor?: string;
};
const list = (query: Query = {}, key = acme, etag?: string) =>
	world.call(Receipts, key, query, { headers: etag === undefined ? {} : { "if-none-match": etag } });
const itemsOf = async (query: Query = {}, key = acme) => (await list(query, key)).data.items;
/** The cursor of a reader that has read everything. */
const lastCursor = async (query: Query = {}): Promise<string> => {
	for (let cursor: string | undefined; ; ) {
		const { data } = await list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
		cursor = data.next_cursor;
		if (!data.has_more) return cursor;
	}
};

const origin = { actor: "operator:test", requestId: null };
async function done(answer: Promise<unknown>): Promise<void> {
	const settled = await answer;
	if (isRefusal(settled)) throw new Error(settled.message);
}
const receive = ({ formulaId, code }: Stocked, units: number, poolId: number, batch = `${code}-0`) =>
	done(
		world.deps.engine.execute({
			...({
				kind: "receive",
				origin,
				newFgId: newId(),
				formulaId,
				poolId,
			} as const),
			batchNumber: batch,
			expiresOn: null,
			receivedOn: null,
			units,
		}),
	);
const correct = (fgId: string, units: number) =>
	done(world.deps.engine.execute({ kind: "correct", origin, fgId, units, reason: "recount" }));
const restore = (fgId: string, units: number) =>
	done(restoreInSteps(world.db, { origin, fgId, units, reason: "good" }));
const acmePool = async (): Promise<number> =>
	(await world.db.query<{ id: number }>("select pool_id as id from pool where brand_code = 'ACME'")).rows[0]?.id ?? -1;

describe("200", () => {
	it("lists what came into the brand's own stock, by lot and day", async () => {
		const { sku, code, formulaId } = await world.stocked([
			{ brand: "ACME", units: 40, expires: world.day(90), received: world.day(-3) },
			{ brand: "BOLT", units: 7 },
			{ brand: null, units: 8 },
		]);
		const { data } = await list({ sku });
		expect(data).toEqual({
			items: [
				{
					receipt_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
					received_on: world.day(-3),
					formula_id: formulaId,
					formula_name: code,
					skus: [sku],
					batch_number: `${code}-0`,
					expires_on: world.day(90),
					units_received: 40,
					units_available: 40,
					units_quarantined: 0,
					units_corrected: 0,
					updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
				},
			],
			next_cursor: expect.any(String),
			has_more: false,
			as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
		});
	});

	it("an unbound key names the brand, and sees the same rows; shared access adds none", async () => {
		const { sku } = await world.stocked([
			{ brand: "ACME", units: 4 },
			{ brand: null, units: 5 },
		]);
		expect(await itemsOf({ sku, brand_code: "ACME" }, unbound)).toEqual(await itemsOf({ sku }));
		expect((await itemsOf({ sku })).map(({ units_received }) => units_received)).toEqual([4]);
		expect(await itemsOf({ sku, brand_code: "BOLT" }, unbound)).toEqual([]);
	});

	it("more units on the day of a receipt are added to it; on another day they are a receipt of their own", async () => {
		const poolId = await acmePool();
		const stocked = await world.stocked([{ brand: "ACME", units: 10, received: world.day(-5) }]);
		await receive(stocked, 3, poolId);
		await receive(stocked, 4, poolId);
		const units = (await itemsOf({ sku: stocked.sku })).map((one) => [one.received_on, one.units_received]);
		expect(units).toEqual([
			[world.day(-5), 10],
			[world.day(0), 7],
		]);
		// both show figures of the whole lot
		for (const one of await itemsOf({ sku: stocked.sku })) expect(one.units_available).toBe(17);
	});

	it("a recount corrects the lot's last receipt, upwards and downwards", async () => {
		const poolId = await acmePool();
		const stocked = await world.stocked([{ brand: "ACME", units: 10, received: world.day(-5) }]);
		await receive(stocked, 5, poolId);
		await correct(stocked.lots[0] as string, 2);
		await correct(stocked.lots[0] as string, -6);
		const items = await itemsOf({ sku: stocked.sku });
		expect(items.map((one) => [one.received_on, one.units_received, one.units_corrected])).toEqual([
			[world.day(-5), 10, 0],
			[world.day(0), 5, -4],
		]);
		expect(items.map(({ units_available }) => units_available)).toEqual([11, 11]);
	});

	it("a hold past its end counts as available at once, and units out of date never", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 10 }]);
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 4 }] });
		const available = async () => (await itemsOf({ sku }))[0]?.units_available;
		expect(await available()).toBe(6);
		await world.lapse(data.reservation_token);
		expect(await available()).toBe(10);
		const old = await world.stocked([{ brand: "ACME", units: 9, expires: world.day(-1) }]);
		expect((await itemsOf({ sku: old.sku }))[0]).toMatchObject({ units_received: 9, units_available: 0 });
	});

	it("units_available of one lot is what check counts", async () => {
		const { sku, lots } = await world.stocked([{ brand: "ACME", units: 12 }]);
		await world.call(Reserve, acme, { items: [{ sku, qty: 5 }] });
		await world.quarantine(lots[0] as string, 3);
		const [checked] = (await world.call(Check, acme, { items: [{ sku, qty: 1 }] })).data.items;
		expect((await itemsOf({ sku }))[0]?.units_available).toBe(checked?.available_qty);
	});

	it("names the SKUs of the key's environment alone", async () => {
		const { code, sku } = await world.stocked([
			{ brand: "ACME", units: 1 },
			{ brand: "SANDBOX", units: 2 },
		]);
		const test = unique("SBX-T");
		await world.has({ skus: [{ sku: test, name: test, kind: "single", components: [{ formula: code, per_kit: 1 }] }] });
		const { token } = await world.key({ brand: "SANDBOX" });
		expect((await itemsOf({ sku: test }, token)).map(({ skus, units_received }) => [skus, units_received])).toEqual([
			[[test], 2],
		]);
		expect((await itemsOf({ sku })).map(({ skus }) => skus)).toEqual([[sku]]);
		expect(await itemsOf({ sku: test })).toEqual([]);
		expect(await itemsOf({ sku }, token)).toEqual([]);
	});
});

describe("Filters", () => {
	it("from and to are days, both included", async () => {
		const { sku } = await world.stocked([
			{ brand: "ACME", units: 1, received: world.day(-9) },
			{ brand: "ACME", units: 2, received: world.day(-8) },
			{ brand: "ACME", units: 3, received: world.day(-7) },
		]);
		const units = async (query: Query) =>
			(await itemsOf({ sku, ...query })).map(({ units_received }) => units_received);
		expect(await units({})).toEqual([1, 2, 3]);
		expect(await units({ from: world.day(-8) })).toEqual([2, 3]);
		expect(await units({ to: world.day(-8) })).toEqual([1, 2]);
		expect(await units({ from: world.day(-8), to: world.day(-8) })).toEqual([2]);
		expect(await units({ from: world.day(-6) })).toEqual([]);
		expect(await units({ from: world.day(-7), to: world.day(-9) })).toEqual([]);
	});

	it("batch_number and sku: a kit stands for each of its formulas, what is unknown for none", async () => {
		const [a, b] = [
			await world.stocked([{ brand: "ACME", units: 1 }]),
			await world.stocked([
				{ brand: "ACME", units: 2 },
				{ brand: "ACME", units: 3 },
			]),
		];
		const kit = unique("KIT");
		const components = [a.code, b.code].map((formula) => ({ formula, per_kit: 1 }));
		await world.has({ skus: [{ sku: kit, name: kit, kind: "kit", components }] });
		expect((await itemsOf({ sku: kit })).map(({ units_received }) => units_received)).toEqual([1, 2, 3]);
		const [one] = await itemsOf({ batch_number: `${b.code}-1` });
		expect(one).toMatchObject({ units_received: 3, skus: [kit, b.sku].toSorted() });
		expect(await itemsOf({ sku: "NOPE" })).toEqual([]);
		expect(await itemsOf({ batch_number: "NOPE" })).toEqual([]);
	});

	it.each([
		["from", "yesterday"],
		["from", "2026-02-30"],
		["to", "2026-9-6"],
		["to", "2026-09-06T00:00:00Z"],
	] as const)("400 invalid_input: %s=%s is no day", async (name, day) => {
		const answer = await list({ [name]: day });
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(`/${name}`);
	});
});

describe("Following", () => {
	it("what changes a receipt brings it again, and nothing else does", async () => {
		const { sku, lots } = await world.stocked([{ brand: "ACME", units: 20 }]);
		const other = await world.stocked([{ brand: "ACME", units: 20 }]);
		const fgId = lots[0] as string;
		let cursor = await lastCursor();
		const next = async () => {
			const { data } = await list({ cursor });
			cursor = data.next_cursor;
			return data.items.map((one) => [one.skus[0], one.units_corrected, one.units_quarantined, one.units_available]);
		};
		expect(await next()).toEqual([]);
		await world.call(Reserve, acme, { items: [{ sku, qty: 1 }] });
		expect(await next()).toEqual([]);
		await correct(fgId, -1);
		expect(await next()).toEqual([[sku, -1, 0, 18]]);
		await world.quarantine(fgId, 5);
		expect(await next()).toEqual([[sku, -1, 5, 13]]);
		await restore(fgId, 2);
		expect(await next()).toEqual([[sku, -1, 3, 15]]);
		await world.destroy(fgId, 4);
		expect(await next()).toEqual([[sku, -1, 0, 14]]);
		await correct(other.lots[0] as string, 1);
		expect(await next()).toEqual([[other.sku, 1, 0, 21]]);
		expect(await next()).toEqual([]);
	});

	it("any page size lists the same receipts in the same order, none missed, none twice", async () => {
		const lots = Array.from({ length: 8 }, (_, n) => ({ brand: "ACME", units: n + 1 }));
		const { sku } = await world.stocked(lots);
		const all = (await itemsOf({ sku })).map(({ receipt_id }) => receipt_id);
		expect(new Set(all).size).toBe(8);
		for (const limit of [1, 3, 8, 500]) {
			const seen: string[] = [];
			for (let cursor: string | undefined; ; ) {
				const { data } = await list({ sku, limit, ...(cursor === undefined ? {} : { cursor }) });
				seen.push(...data.items.map(({ receipt_id }) => receipt_id));
				cursor = data.next_cursor;
				if (!data.has_more) break;
				expect(data.items).toHaveLength(limit);
			}
			expect(seen).toEqual(all);
		}
	});

	it("a page has 100 items unless asked otherwise", async () => {
		const { sku } = await world.stocked(Array.from({ length: 101 }, () => ({ brand: "ACME", units: 1 })));
		const { data } = await list({ sku });
		expect([data.items.length, data.has_more]).toEqual([100, true]);
	});

	it("a cursor is used with the filters, the key and the recipe it was made with", async () => {
		const { sku, code } = await world.stocked([{ brand: "ACME", units: 1 }]);
		const { next_cursor: cursor } = (await list({ sku })).data;
		expect((await list({ sku, cursor, limit: 1 })).verdict).toBe("200");
		const { token: other } = await world.key({ brand: "ACME" });
		expect((await list({ sku, cursor }, other)).verdict).toBe("400 invalid_input");
		for (const query of [{}, { sku, from: world.day(0) }, { sku, to: world.day(0) }, { sku, batch_number: "B" }]) {
			expect((await list({ ...query, cursor })).verdict).toBe("400 invalid_input");
		}
		const more = await world.stocked([{ brand: "ACME", units: 2 }]);
		const components = [code, more.code].map((formula) => ({ formula, per_kit: 1 }));
		await world.has({ skus: [{ sku, name: sku, kind: "kit", components }] });
		expect((await list({ sku, cursor })).verdict).toBe("400 invalid_input");
		expect((await itemsOf({ sku })).map(({ units_received }) => units_received)).toEqual([1, 2]);
	});

	it("ETag: per key, blind to as_of, 304 while nothing changed", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 6 }]);
		const etag = (await list({ sku })).header("etag");
		const again = await list({ sku }, acme, etag);
		expect([again.status, again.text]).toEqual([304, ""]);
		const { token: other } = await world.key({ brand: "ACME" });
		expect((await list({ sku }, other, etag)).status).toBe(200);
		await world.call(Reserve, acme, { items: [{ sku, qty: 1 }] });
		expect((await list({ sku }, acme, etag)).status).toBe(200);
	});
});

describe("Refusals", () => {
	it("400 invalid_input: an unbound key names no brand, shared access or not", async () => {
		for (const sharedPool of [true, false]) {
			const { token } = await world.key({ sharedPool });
			const answer = await list({}, token);
			expect(answer.verdict).toBe("400 invalid_input");
			expect(answer.error.message).toContain("/brand_code");
		}
	});

	it.each(["BOLT", "NOPE", "SANDBOX"])("403 brand_mismatch: a key bound to ACME names %s", async (brand_code) => {
		expect((await list({ brand_code })).verdict).toBe("403 brand_mismatch");
	});

	it("422 unknown_brand_code: an unbound key names a brand that does not exist; SANDBOX is 403", async () => {
		expect((await list({ brand_code: "NOPE" }, unbound)).verdict).toBe("422 unknown_brand_code");
		expect((await list({ brand_code: "SANDBOX" }, unbound)).verdict).toBe("403 brand_mismatch");
	});

	it("403 forbidden: without the scope", async () => {
		const { token } = await world.key({ brand: "ACME", scopes: ["atp.summary"] });
		expect((await list({}, token)).verdict).toBe("403 forbidden");
	});
});
