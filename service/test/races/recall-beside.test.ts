import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { reportRecall } from "../../src/inventory/recall/report-recall.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type Answer, type House, openHouse } from "../house.ts";
import { recallInSteps, restoreInSteps } from "../recall-steps.ts";

const NO_FORECAST = { timeZone: "UTC", forecast: false, certificatesRequired: false, times: null };

const BATCH = "C-2611";
const origin = { actor: "operator:test", requestId: null };
/** The pools, and the number of holders of the batch (holds and orders) in each. */
const POOLS = ["ACME", "BOLT", null] as const;
const HOLDERS_OF_POOL = 170;
const QTY = 2;
/** Every n-th of them is an order. */
const ORDER_EVERY = 3;
/** Partners that continue meanwhile, on both nodes. */
const PARTNERS = 6;

const WORLD = {
	brands: [
		{ code: "ACME", name: "Acme" },
		{ code: "BOLT", name: "Bolt" },
	],
	formulas: [{ code: "F", name: "F", status: "active" }],
	skus: [{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
	lots: POOLS.flatMap((brand_code) => [
		{ formula: "F", brand_code, batch_number: BATCH, units: HOLDERS_OF_POOL * QTY + 40, expires_on: "2090-01-01" },
		{ formula: "F", brand_code, batch_number: "GOOD", units: 150, expires_on: "2091-01-01" },
	]),
	partners: [{ name: "Shop" }],
	keys: [
		{ name: "ACME", partner: "Shop", environment: "live", brand_code: "ACME", preset: "self_ship", shared_pool: false },
		{ name: "BOLT", partner: "Shop", environment: "live", brand_code: "BOLT", preset: "self_ship", shared_pool: false },
		{ name: "open", partner: "Shop", environment: "live", brand_code: null, preset: "self_ship", shared_pool: true },
	].map((key) => ({ ...key, requests_per_minute: 1_000_000 })),
};
const SHIP_TO = { line1: "1 Main Street", city: "Berlin", postal_code: "10115", country: "DE" };

describe("A recall of a batch in three pools that some 500 holds and orders have", () => {
	let house: House;
	const tokens: string[] = [];
	beforeAll(async () => {
		house = await openHouse({ nodes: 2 });
		const { keys } = await house.importWorld(WORLD);
		tokens.push(...keys.map(({ token }) => must(token, "a new key's token")));
	});
	afterAll(() => house.close());

	const post = (partner: number, path: string, body: object) =>
		house.call(must(tokens[partner % tokens.length], "a key"), `/api/v1/${path}`, { body, node: partner % 2 });
	const reserve = (partner: number, qty: number) => post(partner, "reserve", { items: [{ sku: "ONE", qty }] });
	const confirm = (partner: number, reservation_token: string) =>
		post(partner, "confirm", { reservation_token, customer: { name: "Ada", ship_to: SHIP_TO } });

	/** Asks until the service has the time: a busy machine answers some of many requests with 429. */
	const whenItMay = async (ask: () => Promise<Answer>): Promise<Answer> => {
		for (;;) {
			const answer = await ask();
			if (answer.status !== 429) {
				expect(answer.status).toBe(201);
				return answer;
			}
			await sleep(Number(answer.headers.get("retry-after") ?? 1) * 1_000);
		}
	};

	/** Holds of one unit that a partner used after the recall had begun, possibly before a step reached them. */
	let lostInUse = 0;
	/** Reserves, and uses its holds in different ways, until it is stopped. Returns the number of answers. */
	const trade = async (partner: number, isOver: () => boolean): Promise<number> => {
		let answered = 0;
		for (let n = 0; !isOver(); n++) {
			const { status, json } = await reserve(partner, 1);
			expect([201, 409, 429]).toContain(status);
			answered++;
			if (status !== 201) continue;
			const { reservation_token } = json.data;
			if (n % 4 === 0) {
				const placed = await confirm(partner, reservation_token);
				expect([201, 409]).toContain(placed.status);
				if (placed.status === 409) lostInUse++;
			} else if (n % 4 === 1) {
				const sold = await post(partner, "consume", { reservation_token, external_ref: `sale-${partner}-${n}` });
				expect([200, 410]).toContain(sold.status); // it may have lost its unit by then
				if (sold.status === 410) lostInUse++;
			} else if (n % 4 === 2) expect((await post(partner, "release", { reservation_token })).status).toBe(200);
		}
		return answered;
	};
	const unitsOf = async () => {
		const { rows } = await house.db.query<Record<string, number>>(
			`select sum(available)::int as available, sum(held + allocated)::int as bound, sum(quarantined)::int as quarantined,
			        sum(consumed + shipped)::int as gone, sum(received)::int as received from lot where batch_number = $1`,
			[BATCH],
		);
		return must(rows[0], "the batch");
	};

	it("ends with no unit of the batch bound, free or lost, beside partners who go on; and a false alarm gives all of it back", async () => {
		const made = Array.from({ length: HOLDERS_OF_POOL * POOLS.length }, async (_, n) => {
			const { json } = await whenItMay(() => reserve(n, QTY));
			if (n % ORDER_EVERY === 0) await whenItMay(() => confirm(n, json.data.reservation_token));
		});
		await Promise.all(made);
		let over = false;
		const partners = Array.from({ length: PARTNERS }, (_, partner) => trade(partner, () => over));
		let steps = 0;
		const target = { batchNumber: BATCH, formula: null, slug: null };
		const done = await recallInSteps(house.db, { target, origin, reason: "bad" }, () => steps++);
		over = true;
		const answered = await Promise.all(partners);
		if (isRefusal(done)) throw new Error(done.message);
		expect(done.fgIds).toHaveLength(POOLS.length);
		expect(steps).toBeGreaterThanOrEqual(4); // the first, and three of 200 holders
		for (const times of answered) expect(times).toBeGreaterThan(0);
		const after = await unitsOf();
		expect({ ...after, gone: 0 }).toMatchObject({ available: 0, bound: 0, gone: 0 });
		expect(must(after.quarantined, "units") + must(after.gone, "units")).toBe(after.received);
		expect((await verify(house.db)).differences).toEqual([]);
		const look = await reportRecall(house.db, done.fgIds, NO_FORECAST);
		const lacking = [...look.impairedHolds, ...look.heldOrders].reduce((sum, { units }) => sum + units, 0);
		expect(lacking).toBeLessThanOrEqual(done.lost + lostInUse); // some may have been released since
		expect(look.heldOrders.length).toBeGreaterThan(0);
		expect(look.impairedHolds.length).toBeGreaterThan(0);

		for (const fgId of done.fgIds) {
			const command = { origin, fgId, units: "all", reason: "false alarm" } as const;
			expect(isRefusal(await restoreInSteps(house.db, command))).toBe(false);
		}
		const { impairedHolds, heldOrders } = await reportRecall(house.db, done.fgIds, NO_FORECAST);
		expect([impairedHolds, heldOrders]).toEqual([[], []]);
		expect(await unitsOf()).toMatchObject({ bound: lacking, quarantined: 0 });
		const { rows } = await house.db.query("select from orders where status = 'held'");
		expect(rows).toHaveLength(0);
		expect((await verify(house.db)).differences).toEqual([]);
	});
});
