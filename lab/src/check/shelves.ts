import { poolsOf, type World, type WorldKey } from "../world.ts";
import { Bounds, type Range } from "./bounds.ts";

/** The in-date units of one formula in one pool over time, by place. */
export interface Shelf {
	readonly name: string;
	readonly free: Bounds;
	readonly held: Bounds;
	readonly allocated: Bounds;
	readonly consumed: Bounds;
	readonly shipped: Bounds;
	/** Held and allocated units: what a partner sees as reserved. */
	readonly reserved: Bounds;
	/** Free, held and allocated units: what a partner sees as on hand. */
	readonly onHand: Bounds;
	/** From this moment on the shelf is not judged: a recall took held units that could not be replaced. */
	blurredFrom: number;
}

/** The effect on a shelf: units added or removed, by place. */
export interface Effect {
	readonly free?: number;
	readonly held?: number;
	readonly allocated?: number;
	readonly consumed?: number;
	readonly shipped?: number;
}

/** The counts of a SKU, or the reason why it has none. */
export interface Counts {
	readonly available: Range;
	readonly atp: Range;
	readonly parts: readonly {
		readonly formulaId: string;
		readonly free: Range;
		readonly reserved: Range;
		readonly onHand: Range;
	}[];
	readonly blurred: boolean;
}

export class Shelves {
	readonly #world: World;
	readonly #shelves = new Map<string, Shelf>();
	readonly #codes = new Map<string, string>();
	readonly #promised = new Map<string, Bounds>();

	constructor(world: World) {
		this.#world = world;
		for (const { code, formulaId, lots } of world.formulas) {
			this.#codes.set(formulaId, code);
			for (const { brand, units, outOfDate } of lots) {
				if (!outOfDate) this.affect(code, brand, { free: units }, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY);
			}
		}
		const always = Number.NEGATIVE_INFINITY;
		for (const { formula, brand, units } of world.demand) this.promise(formula, brand, units, always, always);
	}

	/** The formula's code by its id; undefined if the world has no such formula. */
	codeOf = (formulaId: string): string | undefined => this.#codes.get(formulaId);

	shelf(formula: string, brand: string | null): Shelf {
		const name = nameOf(formula, brand);
		const known = this.#shelves.get(name);
		if (known) return known;
		const made: Shelf = {
			name,
			free: new Bounds(),
			held: new Bounds(),
			allocated: new Bounds(),
			consumed: new Bounds(),
			shipped: new Bounds(),
			reserved: new Bounds(),
			onHand: new Bounds(),
			blurredFrom: Number.POSITIVE_INFINITY,
		};
		this.#shelves.set(name, made);
		return made;
	}

	all = (): Iterable<Shelf> => this.#shelves.values();

	/** Applies an effect that happened at some moment from `earliest` to `latest`. */
	affect(formula: string, brand: string | null, effect: Effect, earliest: number, latest: number): void {
		const shelf = this.shelf(formula, brand);
		const { free = 0, held = 0, allocated = 0, consumed = 0, shipped = 0 } = effect;
		shelf.free.change(free, earliest, latest);
		shelf.held.change(held, earliest, latest);
		shelf.allocated.change(allocated, earliest, latest);
		shelf.consumed.change(consumed, earliest, latest);
		shelf.shipped.change(shipped, earliest, latest);
		shelf.reserved.change(held + allocated, earliest, latest);
		shelf.onHand.change(free + held + allocated, earliest, latest);
	}

	/** From `from` to `to` a count may show these held units as free. They can be taken by nobody. */
	mayShowAsFree(formula: string, brand: string | null, units: number, from: number, to: number): void {
		const never = Number.POSITIVE_INFINITY;
		const { free, reserved } = this.shelf(formula, brand);
		free.change(units, from, never);
		free.change(-units, never, to);
		reserved.change(-units, from, never);
		reserved.change(units, never, to);
	}

	/** Units of a formula in these pools during the interval. */
	units(formula: string, pools: readonly string[], from: number, to: number) {
		const sum = { free: ZERO, reserved: ZERO, onHand: ZERO };
		let blurred = false;
		for (const pool of pools) {
			const shelf = this.shelf(formula, pool === "shared" ? null : pool);
			blurred ||= shelf.blurredFrom <= to;
			sum.free = plus(sum.free, shelf.free.within(from, to));
			sum.reserved = plus(sum.reserved, shelf.reserved.within(from, to));
			sum.onHand = plus(sum.onHand, shelf.onHand.within(from, to));
		}
		return { ...sum, blurred };
	}

	/** Changes promised demand by `units` at some moment from `earliest` to `latest`. */
	promise(formula: string, brand: string | null, units: number, earliest: number, latest: number): void {
		const name = nameOf(formula, brand);
		let bounds = this.#promised.get(name);
		if (!bounds) {
			bounds = new Bounds();
			this.#promised.set(name, bounds);
		}
		bounds.change(units, earliest, latest);
	}

	/** Promised demand of a formula in these pools during the interval. */
	promised(formula: string, pools: readonly string[], from: number, to: number): Range {
		return pools
			.map((pool) => this.#promised.get(nameOf(formula, pool === "shared" ? null : pool))?.within(from, to) ?? ZERO)
			.reduce(plus, ZERO);
	}

	/** The possible counts of the SKU, in kits; null: an unknown or non-physical SKU. */
	counts(
		key: Pick<WorldKey, "brand" | "shared">,
		named: string | null,
		sku: string,
		from: number,
		to: number,
	): Counts | null {
		const found = this.#world.skus.find((known) => known.sku === sku);
		if (!found || found.parts.length === 0) return null;
		const pools = poolsOf(key, named);
		let available: Range = { low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY };
		let atp = available;
		let blurred = false;
		const parts = found.parts.map(({ formula, perKit }) => {
			const units = this.units(formula, pools, from, to);
			blurred ||= units.blurred;
			available = least(available, kits(units.free, ZERO, perKit));
			atp = least(atp, kits(units.free, this.promised(formula, pools, from, to), perKit));
			return { formulaId: this.#idOf(formula), ...units };
		});
		return { available, atp, parts, blurred };
	}

	#idOf = (code: string): string => this.#world.formulas.find((formula) => formula.code === code)?.formulaId ?? "";
}

const nameOf = (formula: string, brand: string | null): string => `${formula} ${brand ?? "shared"}`;
const ZERO: Range = { low: 0, high: 0 };
const plus = (a: Range, b: Range): Range => ({ low: a.low + b.low, high: a.high + b.high });
const least = (a: Range, b: Range): Range => ({ low: Math.min(a.low, b.low), high: Math.min(a.high, b.high) });
const kits = ({ low, high }: Range, promised: Range, perKit: number): Range => ({
	low: Math.floor(Math.max(0, low - promised.high) / perKit),
	high: Math.floor(Math.max(0, high - promised.low) / perKit),
});
