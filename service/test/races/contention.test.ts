import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import type { MintedKey } from "../../src/partners/keys/mint-key.ts";
import { type Answer, type Client, createClient } from "../contract/client.ts";
import { type House, openHouse } from "../house.ts";
import { audit } from "../model/audit.ts";
import { killAll } from "../processes/child.ts";
import { size, sizeOr } from "../sizes.ts";

/** Clients that send requests at the same moment, half of them to each node. */
const CLIENTS = 64;
const LAST_UNITS = 10;
const RUNS = sizeOr(50, 15);
const KIT_RESERVES = sizeOr(100_000, 1_000);

let house: House;
let clients: readonly Client[];
let key: MintedKey;

beforeAll(async () => {
	house = await openHouse({ nodes: 2, processes: true });
	clients = house.nodes.map(({ api }) => createClient(Number(new URL(api).port)));
	key = await house.mint({ scopes: ["atp.reserve", "atp.check"] });
});
afterAll(async () => {
	for (const client of clients) client.close();
	await house.close();
	await killAll();
});

type Body = Parameters<typeof reserve>[2];
const reserve = (n: number, token: string, body: { items: { sku: string; qty: number }[]; external_ref?: string }) =>
	must(clients[n % clients.length], "client").call(Reserve, token, body);

/** 64 requests at once; the n-th goes to node n % 2. */
const allAtOnce = (ask: (n: number) => Promise<Answer>): Promise<Answer[]> =>
	Promise.all(Array.from({ length: CLIENTS }, (_, n) => ask(n)));

const countOf = (answers: readonly Answer[]): Record<string, number> => {
	const counts: Record<string, number> = {};
	for (const { verdict } of answers) counts[verdict] = (counts[verdict] ?? 0) + 1;
	return counts;
};

/** Creates this number of SKUs, each with the same units in the shared pool. */
async function shelves(name: string, skus: number, units: number): Promise<string[]> {
	const names = Array.from({ length: skus }, (_, i) => `${name}-${i}`);
	await house.stock(Object.fromEntries(names.map((sku) => [sku, units])));
	return names;
}

interface HoldData {
	readonly reservation_token: string;
	readonly idempotent: boolean;
}
const holdOf = (answer: Answer): HoldData => answer.data as HoldData;

describe("two service processes on one database", () => {
	it("grant exactly the last 10 units to 64 clients who ask at once, in every run", async () => {
		for (const sku of await shelves("LAST", size(RUNS), LAST_UNITS)) {
			const answers = await allAtOnce((n) => reserve(n, key.token, { items: [{ sku, qty: 1 }] }));
			expect(countOf(answers), sku).toEqual({ 201: LAST_UNITS, "409 no_inventory": CLIENTS - LAST_UNITS });
		}
	});

	it("make one hold of 64 copies of one external_ref, and all of them answer it, also when it took the last unit", async () => {
		for (const [run, sku] of (await shelves("COPY", size(RUNS), 2)).entries()) {
			const body = (): Body => ({ items: [{ sku, qty: run % 2 === 0 ? 2 : 1 }], external_ref: `copy ${sku}` });
			const answers = await allAtOnce((n) => reserve(n, key.token, body()));
			expect(countOf(answers), sku).toEqual({ 201: CLIENTS });
			expect(new Set(answers.map((answer) => holdOf(answer).reservation_token)).size, sku).toBe(1);
			expect(answers.filter((answer) => !holdOf(answer).idempotent).length, sku).toBe(1);
			expect(answers.filter((answer) => answer.header("idempotent-replayed") === "true").length).toBe(CLIENTS - 1);
		}
	});

	it("let no copy of an external_ref at the other process fail a request beside it", async () => {
		const skus = await shelves("BESIDE", CLIENTS, 4 * size(RUNS));
		for (let run = 0; run < size(RUNS); run++) {
			const answers = await allAtOnce((n) => {
				const sku = must(skus[n], "sku");
				// every fourth is a copy, for a different SKU at each of the two processes
				if (n % 4 > 1) return reserve(n, key.token, { items: [{ sku, qty: 1 }] });
				return reserve(n, key.token, { items: [{ sku, qty: 1 }], external_ref: `beside ${run}.${n >> 2}` });
			});
			expect(countOf(answers), `run ${run}`).toEqual({ 201: CLIENTS });
		}
	});

	it("never let a key hold more units than its cap", async () => {
		const skus = await shelves("CAP", 8, 1_000);
		for (let run = 0; run < size(RUNS); run++) {
			const { keyId, token } = await house.mint({ scopes: ["atp.reserve"], maxHeldUnits: 21 });
			const answers = await allAtOnce((n) => reserve(n, token, { items: [{ sku: must(skus[n % 8], "sku"), qty: 2 }] }));
			expect(countOf(answers), `run ${run}`).toEqual({ 201: 10, "429 rate_limited": CLIENTS - 10 });
			const { rows } = await house.db.query<{ units: number }>(
				"select sum(p.units) as units from hold join hold_part p using (reservation_token) where key_id = $1",
				[keyId],
			);
			expect(Number(rows[0]?.units)).toBe(20);
		}
	});

	it("meet no deadlock over kits that share formulas, their lines in opposite orders", async () => {
		const [skus, kits] = await crossedKits();
		const before = await deadlocks();
		let asked = 0;
		const counts: Record<string, number> = {};
		const worker = async (n: number): Promise<void> => {
			for (let mine = asked++; mine < KIT_RESERVES; mine = asked++) {
				const chosen = [kits[mine % kits.length], skus[(mine * 7) % skus.length], kits[(mine * 3 + 1) % kits.length]];
				const items = chosen.map((sku) => ({ sku: must(sku, "sku"), qty: 1 }));
				const { verdict } = await reserve(n, key.token, { items: mine % 2 === 0 ? items : items.reverse() });
				counts[verdict] = (counts[verdict] ?? 0) + 1;
			}
		};
		await Promise.all(Array.from({ length: CLIENTS }, (_, n) => worker(n)));
		expect(counts).toEqual({ 201: KIT_RESERVES });
		expect((await deadlocks()) - before).toBe(0);
	}, 900_000);

	it("leave books that balance after all of this", async () => {
		expect(await audit(house.db)).toEqual([]);
	}, 300_000);
});

/** Formulas with two lots each, sold alone and in kits whose recipes name them in opposite orders. */
async function crossedKits(): Promise<[string[], string[]]> {
	const codes = Array.from({ length: 6 }, (_, i) => `X${i}`);
	const pairs = codes.flatMap((a) => codes.filter((b) => b !== a).map((b) => [a, b] as const));
	const units = 10 * KIT_RESERVES;
	await house.importWorld({
		formulas: codes.map((code) => ({ code, name: code, status: "active" })),
		skus: [
			...codes.map((code) => ({
				sku: `ALONE-${code}`,
				name: code,
				kind: "single",
				components: [{ formula: code, per_kit: 1 }],
			})),
			...pairs.map(([a, b]) => ({
				sku: `KIT-${a}-${b}`,
				name: `${a} and ${b}`,
				kind: "kit",
				components: [a, b].map((formula) => ({ formula, per_kit: 1 })),
			})),
		],
		lots: codes.flatMap((formula) => [1, 2].map((n) => ({ formula, brand_code: null, batch_number: `B${n}`, units }))),
	});
	return [codes.map((code) => `ALONE-${code}`), pairs.map(([a, b]) => `KIT-${a}-${b}`)];
}

async function deadlocks(): Promise<number> {
	await house.db.query("select pg_stat_force_next_flush()");
	const { rows } = await house.db.query<{ deadlocks: number }>(
		"select deadlocks from pg_stat_database where datname = current_database()",
	);
	return must(rows[0], "statistics").deadlocks;
}
