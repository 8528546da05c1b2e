import fc from "fast-check";
import type { Answer, Command } from "../../src/assembly/commands.ts";
import type { ReserveLine } from "../../src/inventory/holds/reserve.ts";
import type { NamedOrder } from "../../src/inventory/orders/named-order.ts";
import { toOrderCommand } from "./order-steps.ts";
import {
	FORMULA_NAMES,
	type FormulaName,
	KEY_NAMES,
	type KeyName,
	POOLS,
	type PoolName,
	SKU_NAMES,
	type Town,
} from "./town.ts";

/*
 * One step of a generated history. `hold` and `lot` are the index of an earlier reserve or receive in the list, modulo
 * their number, so that a list stays meaningful while it is shrunk; a refused reserve leaves a token of no hold.
 */
export type Step =
	| {
			readonly do: "reserve";
			readonly key: KeyName;
			readonly lines: readonly Line[];
			readonly ttl: number;
			readonly ref: string | null;
	  }
	| { readonly do: "release"; readonly key: KeyName; readonly hold: number }
	| { readonly do: "consume"; readonly key: KeyName; readonly hold: number; readonly ref: string }
	| { readonly do: "reverse"; readonly key: KeyName; readonly ref: string }
	| { readonly do: "expire"; readonly hold: number }
	| {
			readonly do: "receive";
			readonly formula: FormulaName;
			readonly pool: PoolName;
			readonly batch: string;
			readonly goodFor: number | null;
			readonly units: number;
	  }
	| { readonly do: "correct"; readonly lot: number; readonly units: number }
	| { readonly do: "quarantine" | "destroy" | "restore"; readonly lot: number; readonly units: number | "all" }
	| {
			readonly do: "place";
			readonly key: KeyName;
			readonly hold: number;
			readonly ref: string;
			readonly city: string;
	  }
	/** `order`, `parcel`: the index of a place, or a ship, in the list. */
	| { readonly do: "cancel" | "pick" | "hold order" | "release order" | "label"; readonly order: number }
	| {
			readonly do: "ship";
			readonly orders: readonly number[];
			/** Null: everything. */
			readonly items: { readonly sku: string; readonly qty: number } | null;
	  }
	| { readonly do: "void"; readonly parcel: number }
	| { readonly do: "combine"; readonly orders: readonly number[] }
	| { readonly do: "promise"; readonly formula: FormulaName; readonly pool: PoolName; readonly units: number }
	| { readonly do: "wait"; readonly minutes: number }
	| { readonly do: "sleep"; readonly days: number }
	/** The day changes without any time passing, as for a hold that was made late in the evening. */
	| { readonly do: "midnight" };

export interface Line {
	readonly sku: string;
	readonly qty: number;
	readonly brand?: string;
}

/**
 * Maximum number of steps in one history, and the longest wait: all waits together take less than half a day, so that
 * they never change the day.
 */
const MAX_STEPS = 20;
const WAITS = [1, 29, 30, 31];
/** Minutes; a day is the longest hold whose lots need to be in date today only. */
const TTLS = [1, 30, 30, 31, 1440, 1441, 2880];

// mostly of one key, so that its holds are used again
const key = fc.oneof({ weight: 3, arbitrary: fc.constant("acme" as const) }, fc.constantFrom(...KEY_NAMES));
const ref = fc.constantFrom("r1", "r2");
const formula = fc.constantFrom(...FORMULA_NAMES);
const pool = fc.constantFrom(...(Object.keys(POOLS) as PoolName[]));
const index = fc.nat({ max: 7 });
const unitsOrAll = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 9 }) }, fc.constant("all" as const));
const line: fc.Arbitrary<Line> = fc.record(
	{
		sku: fc.oneof(
			{ weight: 12, arbitrary: fc.constantFrom("one", "pair", "kit", "tik") },
			fc.constantFrom(...SKU_NAMES, "nothing"),
		),
		qty: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.integer({ min: 5, max: 20 })),
		brand: fc.oneof({ weight: 6, arbitrary: fc.constantFrom("ACME", "BOLT") }, fc.constantFrom("SANDBOX", "NOBODY")),
	},
	{ requiredKeys: ["sku", "qty"] },
);
const lineOfOwn = line.map(({ sku, qty }): Line => ({ sku, qty }));

const reserve: fc.Arbitrary<Step> = fc.record({
	do: fc.constant("reserve" as const),
	key,
	lines: fc.oneof(
		{ weight: 3, arbitrary: fc.array(lineOfOwn, { minLength: 1, maxLength: 3 }) },
		fc.array(line, { minLength: 1, maxLength: 3 }),
	),
	ttl: fc.constantFrom(...TTLS),
	ref: fc.option(ref, { freq: 2, nil: null }),
});
const receive: fc.Arbitrary<Step> = fc.record({
	do: fc.constant("receive" as const),
	formula,
	pool,
	batch: fc.constantFrom("b1", "b2", "b3"),
	goodFor: fc.option(fc.constantFrom(-1, 0, 0, 1, 2, 3), { freq: 3, nil: null }),
	units: fc.integer({ min: 1, max: 8 }),
});
/** Few, so that the same order is used again. */
const few = fc.nat({ max: 3 });
const place: fc.Arbitrary<Step> = fc.record({
	do: fc.constant("place" as const),
	key,
	hold: index,
	ref: fc.constantFrom("k1", "k2", "k3", "k4"),
	city: fc.constantFrom("Portland", "Portland", "Portland", "Salem"),
});
const toOrder: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 3, arbitrary: place },
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constantFrom(
				"cancel" as const,
				"pick" as const,
				"hold order" as const,
				"release order" as const,
				"label" as const,
			),
			order: few,
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant("ship" as const),
			orders: fc.oneof({ weight: 2, arbitrary: fc.tuple(few) }, fc.array(few, { minLength: 2, maxLength: 3 })),
			items: fc.option(
				fc.record({ sku: fc.constantFrom("one", "pair", "kit", "tik"), qty: fc.integer({ min: 1, max: 3 }) }),
				{ nil: null },
			),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("void" as const), parcel: few }) },
	{
		weight: 2,
		arbitrary: fc.record({
			do: fc.constant("combine" as const),
			orders: fc.array(few, { minLength: 2, maxLength: 3 }),
		}),
	},
);
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 8, arbitrary: reserve },
	{ weight: 3, arbitrary: receive },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), key, hold: index }) },
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("consume" as const), key, hold: index, ref }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("reverse" as const), key, ref }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const), hold: index }) },
	{ weight: 8, arbitrary: toOrder },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant("correct" as const),
			lot: index,
			units: fc.integer({ min: -6, max: 6 }).filter((units) => units !== 0),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constantFrom("quarantine" as const, "destroy" as const, "restore" as const),
			lot: index,
			units: unitsOrAll,
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("promise" as const), formula, pool, units: fc.nat({ max: 6 }) }),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.constantFrom(...WAITS) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("sleep" as const), days: fc.constantFrom(1, 2) }) },
	{ weight: 2, arbitrary: fc.constant({ do: "midnight" as const }) },
);

/** Some receives, then any steps. */
const anything: fc.Arbitrary<readonly Step[]> = fc
	.tuple(fc.array(receive, { maxLength: 6 }), fc.array(step, { minLength: 1, maxLength: MAX_STEPS }))
	.map(([deliveries, steps]) => [...deliveries, ...steps]);

/** A key that mostly gets what it reserves, and orders it. */
const ordered: fc.Arbitrary<readonly Step[]> = fc
	.tuple(
		fc.constantFrom("acme", "acme", "acme2", "open"),
		fc.array(fc.record({ sku: fc.constantFrom("one", "one", "pair", "kit"), qty: fc.integer({ min: 1, max: 3 }) }), {
			minLength: 1,
			maxLength: 2,
		}),
		few,
		fc.constantFrom("Portland", "Portland", "Portland", "Salem"),
	)
	.map(([by, lines, hold, city]): readonly Step[] => [
		{ do: "reserve", key: by, lines, ttl: 30, ref: null },
		{ do: "place", key: by, hold, ref: `k${hold}`, city },
	]);
const delivery: fc.Arbitrary<Step> = fc.record({
	do: fc.constant("receive" as const),
	formula: fc.constantFrom("F0", "F0", "F1"),
	pool: fc.constantFrom("ACME", "shared"),
	batch: fc.constantFrom("b1", "b2", "b3"),
	goodFor: fc.option(fc.constantFrom(0, 0, 1, 2), { freq: 3, nil: null }),
	units: fc.integer({ min: 2, max: 9 }),
});
/** Receives, places, then mostly steps on orders. */
const orders: fc.Arbitrary<readonly Step[]> = fc
	.tuple(
		fc.array(delivery, { minLength: 2, maxLength: 5 }),
		fc
			.array(ordered, { minLength: 1, maxLength: 4 })
			.map((all) =>
				all
					.flat()
					.map((of, n): Step => (of.do === "place" && of.hold !== 3 ? { ...of, hold: n >> 1, ref: `k${n}` } : of)),
			),
		fc.array(
			fc.oneof(
				{ weight: 3, arbitrary: step },
				{ weight: 5, arbitrary: toOrder },
				{ weight: 1, arbitrary: delivery },
				{
					weight: 2,
					arbitrary: fc.record({ do: fc.constant("quarantine" as const), lot: few, units: unitsOrAll }),
				},
			),
			{ maxLength: MAX_STEPS - 4 },
		),
	)
	.map(([deliveries, placed, steps]) => [...deliveries, ...placed, ...steps]);

/** A generated history: of all kinds of steps, or mostly of steps on orders. */
export const history: fc.Arbitrary<readonly Step[]> = fc.oneof(anything, orders);

export const MS_PER_MINUTE = 60_000;
export const MS_PER_DAY = 86_400_000;

export const addDays = (day: string, days: number): string =>
	new Date(Date.parse(`${day}T00:00:00Z`) + days * MS_PER_DAY).toISOString().slice(0, 10);

/** Tokens, lots, orders and boxes that a history has named so far; the same in every run of the history. */
export class Names {
	readonly tokens: string[] = [];
	readonly lots: string[] = [];
	readonly orders: NamedOrder[] = [];
	/** The boxes that left. */
	readonly parcels: { readonly shipmentId: string; readonly orderIds: readonly string[] }[] = [];
	readonly #town: Town;
	constructor(town: Town) {
		this.#town = town;
	}
	token = (n: number): string => this.tokens[n % Math.max(1, this.tokens.length)] ?? this.#town.id("no hold");
	lot = (n: number): string => this.lots[n % Math.max(1, this.lots.length)] ?? this.#town.id("no lot");
	order = (n: number): NamedOrder =>
		this.orders[n % Math.max(1, this.orders.length)] ?? {
			orderId: this.#town.id("no order"),
			token: this.#town.id("no hold"),
		};
	parcel = (n: number): Names["parcels"][number] =>
		this.parcels[n % Math.max(1, this.parcels.length)] ?? { shipmentId: this.#town.id("no parcel"), orderIds: [] };
	/** The indexes without those that name an order twice. */
	distinct(numbers: readonly number[]): number[] {
		const ids = numbers.map((n) => this.order(n).orderId);
		return numbers.filter((_, i) => ids.indexOf(ids[i] ?? "") === i);
	}
	/** Records the ids in an answer. */
	learn(command: Command, answer: Answer): void {
		if (command.kind === "ship" && "orderIds" in answer) this.parcels.push(answer);
	}
}

/** Units of a lot, whether or not holds have them. */
const onLot = (names: Names, { lot, units }: { readonly lot: number; readonly units: number | "all" }) => ({
	fgId: names.lot(lot),
	units,
	reason: "test",
	holders: [...names.tokens],
});

/** The engine's command, or null if the step has none (promises and time). `today`: YYYY-MM-DD. */
export function toCommand(town: Town, names: Names, at: number, of: Step, today: string): Command | null {
	const origin = { actor: "operator:test", requestId: null };
	switch (of.do) {
		case "reserve": {
			const newToken = town.id(`hold ${at}`);
			names.tokens.push(newToken);
			const lines = of.lines.map(
				({ sku, qty, brand }): ReserveLine => ({ sku: `${town.name}-${sku}`, qty, brandCode: brand }),
			);
			const caller = town.callers[of.key];
			return { kind: "reserve", origin, caller, newToken, lines, ttlMinutes: of.ttl, externalRef: of.ref };
		}
		case "release":
			return { kind: "release", origin, caller: town.callers[of.key], token: names.token(of.hold) };
		case "consume":
			return {
				kind: "consume",
				origin,
				caller: town.callers[of.key],
				token: names.token(of.hold),
				externalRef: of.ref,
			};
		case "reverse":
			return { kind: "reverse", origin, caller: town.callers[of.key], externalRef: of.ref };
		case "expire":
			return { kind: "expire", origin, token: names.token(of.hold) };
		case "receive": {
			const newFgId = town.id(`lot ${at}`);
			names.lots.push(newFgId);
			return {
				kind: "receive",
				origin,
				newFgId,
				formulaId: town.id(of.formula),
				poolId: POOLS[of.pool],
				batchNumber: of.batch,
				expiresOn: of.goodFor === null ? null : addDays(today, of.goodFor),
				receivedOn: null,
				units: of.units,
			};
		}
		case "correct":
			return { kind: "correct", origin, fgId: names.lot(of.lot), units: of.units, reason: "recount" };
		case "restore":
			return { ...onLot(names, of), kind: of.do, origin, rest: "free" };
		case "quarantine":
		case "destroy":
			return { ...onLot(names, of), kind: of.do, origin };
		case "place":
		case "cancel":
		case "pick":
		case "hold order":
		case "release order":
		case "label":
		case "ship":
		case "void":
		case "combine":
			return toOrderCommand(town, names, at, of);
		default:
			return null;
	}
}
