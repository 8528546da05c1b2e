import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Release, Reserve } from "../../src/inventory/holds/contract.ts";
import { Check, Inventory, Products } from "../../src/inventory/stock/contract.ts";
import { sizeOr } from "../sizes.ts";
import { createRandom, type Random } from "./random.ts";
import { openWorld, unique, type World } from "./world.ts";

/*
 * One number everywhere (settlements, section 4): random shops with every kind of lot, demand, buffer, hold and recipe,
 * and every kind of key. The counts of check, products and inventory are compared with the sums below, which are
 * computed from the rows without the service's code, and with what a reserve is granted.
 */

const SHOPS = sizeOr(200, 8);
const SEED = 20_260_906;

let world: World;
const keys = new Map<string, string>();

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
	});
	keys.set("bound, shared", (await world.key({ brand: "ACME" })).token);
	keys.set("bound, alone", (await world.key({ brand: "ACME", sharedPool: false })).token);
	keys.set("unbound", (await world.key()).token);
});
afterAll(() => world.stop());

/** A caller's request, and the pools that its answer covers. */
const VIEWS = [
	{ key: "bound, shared", named: undefined, brand: "ACME", pools: ["ACME", null] },
	{ key: "bound, alone", named: "ACME", brand: "ACME", pools: ["ACME"] },
	{ key: "unbound", named: undefined, brand: null, pools: [null] },
	{ key: "unbound", named: "BOLT", brand: "BOLT", pools: ["BOLT", null] },
] as const;
type View = (typeof VIEWS)[number];
type Part = { formula: string; per_kit: number };
type Shop = { skus: Map<string, Part[]> };

const POOLS = ["ACME", "BOLT", null];

/** Formulas, lots, promises and SKUs of one shop, then a little trade. */
async function openShop(random: Random): Promise<Shop> {
	const formulas = Array.from({ length: random.between(1, 3) }, () => unique("F"));
	const recipes: Part[][] = [
		[{ formula: random.pick(formulas), per_kit: 1 }],
		[{ formula: random.pick(formulas), per_kit: random.between(2, 7) }],
	];
	if (formulas.length > 1) recipes.push(formulas.map((formula) => ({ formula, per_kit: random.between(1, 4) })));
	const skus = new Map(recipes.map((recipe) => [unique("S"), recipe]));
	const shelves = formulas.flatMap((formula) => POOLS.map((brand_code) => ({ formula, brand_code })));
	const made = await world.has({
		formulas: formulas.map((code) => ({ code, name: code, status: random.once(12) ? "archived" : "active" })),
		skus: [...skus].map(([sku, components]) => {
			return { sku, name: sku, kind: components.length > 1 ? "kit" : "single", components };
		}),
		lots: shelves.flatMap((shelf) =>
			Array.from({ length: random.below(4) }, () => ({
				...shelf,
				batch_number: unique("B"),
				units: random.between(1, 30),
				...(random.once(3) ? {} : { expires_on: world.day(random.between(-2, 3)) }),
			})),
		),
		demand: shelves.flatMap((shelf) =>
			random.once(4) ? [{ ...shelf, units: random.between(1, 25), reference: unique("PO") }] : [],
		),
		buffers: shelves.flatMap((shelf) => (random.once(5) ? [{ ...shelf, units: random.between(1, 9) }] : [])),
	});
	for (const lot of made.lots.values()) if (random.once(6)) await world.quarantine(lot, "all");
	await trade(random, [...skus.keys()]);
	return { skus };
}

/** Some holds stay active, some expire unswept, some are consumed or released. */
async function trade(random: Random, skus: readonly string[]): Promise<void> {
	for (let n = random.below(8); n > 0; n--) {
		const { key, named } = random.pick(VIEWS);
		const token = keys.get(key) as string;
		const line = {
			sku: random.pick(skus),
			qty: random.between(1, 6),
			...(named === undefined ? {} : { brand_code: named }),
		};
		const answer = await world.call(Reserve, token, { items: [line] });
		if (answer.status !== 201) continue;
		const { reservation_token } = answer.data;
		const fate = random.below(4);
		if (fate === 0) await world.lapse(reservation_token);
		if (fate === 1) await world.call(Consume, token, { reservation_token, external_ref: unique("sale") });
		if (fate === 2) await world.call(Release, token, { reservation_token });
	}
}

/** Units of one formula over some pools, from the rows. */
type Shelf = { available: number; bound: number; promised: number };

async function shelfOf(formula: string, pools: readonly (string | null)[]): Promise<Shelf> {
	const { rows } = await world.db.query<Shelf>(
		`with p as (select pool_id from pool where coalesce(brand_code, '-') = any($2)),
		      f as (select formula_id from formula where code = $1),
		      l as (select l.*, (select coalesce(sum(units), 0) from part_now p
		                          where p.fg_id = l.fg_id and p.state = 'held' and p.expires_at <= now()) as lapsed
		              from lot l join p using (pool_id) join f using (formula_id)
		             where expires_on is null or expires_on >= (now() at time zone 'UTC')::date)
		 select coalesce((select sum(available + lapsed) from l), 0)::int as available,
		        coalesce((select sum(held + allocated - lapsed) from l), 0)::int as bound,
		        (coalesce((select sum(units) from demand join p using (pool_id) join f using (formula_id)), 0) +
		         coalesce((select sum(units) from safety_buffer join p using (pool_id) join f using (formula_id)), 0))::int as promised`,
		[formula, pools.map((brand) => brand ?? "-")],
	);
	return rows[0] as Shelf;
}

async function isSellable(recipe: readonly Part[]): Promise<boolean> {
	const { rows } = await world.db.query("select 1 from formula where code = any($1) and status <> 'active'", [
		recipe.map(({ formula }) => formula),
	]);
	return rows.length === 0;
}

const NOTHING = { available_qty: 0, atp_qty: 0, promised_qty: 0, backorder_qty: 0 };

/** The table of section 4, and the position beside it. */
async function expected(recipe: readonly Part[], pools: readonly (string | null)[]) {
	if (!(await isSellable(recipe))) return { counts: NOTHING, position: { on_hand: 0, reserved: 0, atp: 0 } };
	const shelves = await Promise.all(recipe.map(({ formula }) => shelfOf(formula, pools)));
	const kits = (units: (shelf: Shelf) => number): number =>
		Math.floor(Math.min(...shelves.map((shelf, index) => units(shelf) / (recipe[index] as Part).per_kit)));
	const available_qty = kits(({ available }) => available);
	const atp_qty = kits(({ available, promised }) => Math.max(0, available - promised));
	const backorder_qty = Math.max(
		...shelves.map(({ available, promised }, index) =>
			Math.ceil(Math.max(0, promised - available) / (recipe[index] as Part).per_kit),
		),
	);
	const promised_qty = available_qty - atp_qty + backorder_qty;
	const on_hand = kits(({ available, bound }) => available + bound);
	const plain = recipe.length === 1 && recipe[0]?.per_kit === 1;
	const [first] = shelves as [Shelf];
	const reserved = plain ? first.bound + first.promised : on_hand - atp_qty;
	return {
		counts: { available_qty, atp_qty, promised_qty, backorder_qty },
		position: { on_hand, reserved, atp: atp_qty },
	};
}

async function compare(sku: string, recipe: readonly Part[], { key, named, brand, pools }: View): Promise<void> {
	const token = keys.get(key) as string;
	const brandCode = named === undefined ? {} : { brand_code: named };
	const { counts, position } = await expected(recipe, pools);
	const [check, products, inventory] = await Promise.all([
		world.call(Check, token, { items: [{ sku, qty: 1, ...brandCode }] }),
		world.call(Products, token, { sku, ...brandCode }),
		world.call(Inventory, token, { sku, ...brandCode }),
	]);
	expect(check.data.items[0]).toMatchObject({ known: true, brand_code: brand, ...counts });
	expect(inventory.data.totals).toEqual(position);
	expect(inventory.data.by_brand.map((row) => row.brand_code)).toEqual(pools);
	for (const row of inventory.data.by_brand) {
		expect(row).toEqual({ brand_code: row.brand_code, ...(await expected(recipe, [row.brand_code])).position });
	}
	const sellable = await isSellable(recipe);
	expect(products.data.items.map((item) => item.availability)).toEqual(sellable ? [counts] : []);
	await reserveExactly(token, { sku, ...brandCode }, counts.atp_qty, sellable);
}

/** One more than atp_qty is refused, atp_qty is granted. */
async function reserveExactly(token: string, line: { sku: string }, atp: number, sellable: boolean): Promise<void> {
	const over = await world.call(Reserve, token, { items: [{ ...line, qty: atp + 1 }] });
	expect(over.verdict).toBe(sellable ? "409 no_inventory" : "422 invalid_item");
	if (atp === 0) return;
	const exact = await world.call(Reserve, token, { items: [{ ...line, qty: atp }] });
	expect(exact.verdict).toBe("201");
	const left = await world.call(Check, token, { items: [{ ...line, qty: 1 }] });
	expect(left.data.items[0]?.atp_qty).toBe(0);
	await world.call(Release, token, { reservation_token: exact.data.reservation_token });
}

describe("Counts", () => {
	it(`check, products, inventory and reserve agree with the rows, in ${SHOPS} shops made at random`, async () => {
		for (let shop = 0; shop < SHOPS; shop++) {
			const { skus } = await openShop(createRandom(SEED + shop));
			for (const [sku, recipe] of skus) {
				for (const view of VIEWS) {
					await compare(sku, recipe, view).catch((cause: Error) => {
						throw new Error(`seed ${SEED + shop}, ${sku}, ${view.key} naming ${view.named}: ${cause.message}`, {
							cause,
						});
					});
				}
			}
		}
		expect(await world.audit()).toEqual([]);
	}, 1_800_000);
});
