import type { Line } from "./steps.ts";
import { type KeyName, RECIPES, type Town } from "./town.ts";

/*
 * The oracle's stock: every unit is a separate object with a location. It shares no code with the functions under test.
 */

export type Place = "free" | "held" | "allocated" | "consumed" | "shipped" | "quarantined" | "destroyed";
export interface Unit {
	readonly lot: OracleLot;
	place: Place;
	hold?: OracleHold | undefined;
	line?: number;
	/** The position of its pick among all picks. */
	picked?: number;
	/** The box it left in. */
	box?: OracleBox | undefined;
}
export interface OracleLot {
	readonly id: string;
	readonly formula: string;
	readonly pool: number;
	readonly batch: string;
	readonly expires: string | null;
	readonly received: string;
	receivedUnits: number;
	correctedUnits: number;
}
export interface OracleHold {
	readonly token: string;
	readonly key: KeyName;
	readonly ref: string | null;
	readonly lines: readonly (Line & { readonly brandCode: string | null; readonly pools: readonly number[] })[];
	made: number;
	ends: number;
	/** For a hold of more than a day, the day on which its lots must still be in date. */
	until: string | null;
	state: "active" | "expired" | "released" | "consumed" | "reversed" | "placed";
	consumeRef: string | null;
	consumed: number;
	returned: number;
	/** Lots and lines of the units that were taken from it, one entry per unit. */
	readonly lost: { readonly lot: OracleLot; readonly line: number }[];
}

export interface OracleBox {
	readonly id: string;
	state: "waiting" | "shipped" | "voided" | "cancelled";
	orders: OracleOrder[];
	label: boolean;
	/** When it was voided; 0: it was not. */
	voidedAt: number;
}
export interface OracleOrder {
	readonly id: string;
	readonly ref: string;
	readonly hold: OracleHold;
	readonly city: string;
	state: "placed" | "held" | "picked" | "partially_shipped" | "shipped" | "cancelled";
	reason: string | null;
	/** The warehouse has taken its units, and nothing has invalidated this pick since. */
	picked: boolean;
	/** It was picked, but the pick was invalidated: it must be picked again. */
	again: boolean;
	/** Its last pick; 0: none. */
	pickedAt: number;
	boxes: OracleBox[];
}

/** Lots, units and the current day, and the counts that follow from them (settlements, sections 1 and 4). */
export class OracleStock {
	readonly town: Town;
	readonly lots: OracleLot[] = [];
	readonly holds: OracleHold[] = [];
	units: Unit[] = [];
	readonly promises = new Map<string, number>();
	/** The events that partners got, in order. */
	readonly told: string[] = [];
	now: number;
	today: string;
	#picks = 0;

	constructor(town: Town, now: number) {
		this.town = town;
		this.now = now;
		this.today = new Date(now).toISOString().slice(0, 10);
	}

	/** Free units that may be picked, in picking order. */
	pickable(formula: string, pools: readonly number[], until: string | null): Unit[] {
		const good = this.units.filter(
			({ place, lot }) =>
				place === "free" && lot.formula === formula && pools.includes(lot.pool) && this.good(lot, until),
		);
		const order = ({ lot }: Unit) =>
			`${pools.indexOf(lot.pool)} ${lot.expires ?? "9999-99-99"} ${lot.received} ${lot.id}`;
		return good
			.map((unit) => ({ unit, order: order(unit) }))
			.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
			.map(({ unit }) => unit);
	}

	good({ expires }: OracleLot, until: string | null = null): boolean {
		return expires === null || (expires >= this.today && expires >= (until ?? this.today));
	}

	free(unit: Unit): void {
		Object.assign(unit, { place: "free", hold: undefined });
	}
	of(hold: OracleHold, place: Place): Unit[] {
		return this.units
			.filter((unit) => unit.hold === hold && unit.place === place)
			.sort((a, b) => (a.picked ?? 0) - (b.picked ?? 0));
	}
	/** Sets a unit aside for a line of a hold, or of the order made from it. */
	bind(unit: Unit, hold: OracleHold, line: number): void {
		Object.assign(unit, { place: boundPlace(hold), hold, line, picked: this.#picks++ });
	}

	/** Picks units of expired lots again from other lots; units that cannot be replaced are lost. */
	repick(hold: OracleHold): void {
		const taken = this.of(hold, boundPlace(hold)).filter(({ lot }) => !this.good(lot));
		for (const { line = 0, lot } of taken) hold.lost.push({ lot, line });
		for (const unit of taken) this.free(unit);
		this.replace(new Map([[hold, taken]]));
	}
	/**
	 * Replaces units that were taken from some holds and orders. First, orders before holds and the oldest first, each
	 * that can be made complete gets all that was taken from it. Then the rest gets what is left: an order that lacked
	 * units before gets all or nothing, a hold gets single units. Returns the units.
	 */
	replace(taken: ReadonlyMap<OracleHold, readonly Unit[]>): number {
		let replaced = 0;
		const others: OracleHold[] = [];
		for (const hold of this.inTurn([...taken.keys()])) {
			const units = taken.get(hold)?.length ?? 0;
			const lacks = this.lacking(hold).reduce((sum, one) => sum + one.units, 0);
			if (lacks === units && this.fill(hold)) replaced += units;
			else others.push(hold);
		}
		for (const hold of others) {
			const gone = (taken.get(hold) ?? []).toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
			const given = gone.flatMap(({ lot, line = 0 }) => this.fillOne(hold, lot.formula, line) ?? []);
			if (hold.state === "placed" && given.length < gone.length) for (const unit of given) this.free(unit);
			else replaced += given.length;
			if (hold.state === "active" && given.length < gone.length) this.#tellImpaired(hold);
		}
		return replaced;
	}
	#tellImpaired(hold: OracleHold): void {
		const left = hold.lines.map(({ sku, qty }, line) => {
			const own = this.of(hold, "held").filter((unit) => unit.line === line);
			const kits = (RECIPES[sku] ?? []).map(([formula, per]) =>
				Math.floor(own.filter(({ lot }) => lot.formula === formula).length / per),
			);
			return `${Math.min(...kits)} of ${qty}`;
		});
		this.told.push(`${hold.token} has ${left.join(", ")}`);
	}
	/** Gives a line of a hold, or of its order, one unit of this formula if it lacks one. */
	fillOne(hold: OracleHold, formula: string, line: number): Unit | undefined {
		const lacks = this.lacking(hold).find((one) => one.formula === formula && one.line === line);
		const until = hold.state === "placed" ? null : hold.until;
		const [unit] = this.pickable(formula, hold.lines[lacks?.line ?? 0]?.pools ?? [], until);
		if (lacks && unit) this.bind(unit, hold, lacks.line);
		return lacks && unit;
	}
	inTurn(holds: readonly OracleHold[]): OracleHold[] {
		return [...holds].sort((a, b) => {
			if (a.state !== b.state) return a.state === "placed" ? -1 : 1;
			return a.made - b.made || (a.token < b.token ? -1 : 1);
		});
	}
	/**
	 * Gives a hold, or its order, all units that it lacks, or none. An order needs lots that are in date today only.
	 */
	fill(hold: OracleHold): boolean {
		const until = hold.state === "placed" ? null : hold.until;
		const given: Unit[] = [];
		for (const { line, formula, units } of this.lacking(hold)) {
			const some = this.pickable(formula, hold.lines[line]?.pools ?? [], until).slice(0, units);
			for (const unit of some) this.bind(unit, hold, line);
			given.push(...some);
			if (some.length === units) continue;
			for (const unit of given) this.free(unit);
			return false;
		}
		return true;
	}
	/** Units that each line needs of each formula. */
	wanted(hold: OracleHold): { readonly line: number; readonly formula: string; readonly units: number }[] {
		return hold.lines.flatMap(({ sku, qty }, line) =>
			(RECIPES[sku] ?? []).map(([formula, per]) => ({ line, formula, units: qty * per })),
		);
	}
	/** Units that a hold, or its order, lacks of each formula in each line. */
	lacking(hold: OracleHold): { readonly line: number; readonly formula: string; readonly units: number }[] {
		const has = this.units.filter((unit) => unit.hold === hold && HAD.has(unit.place));
		return this.wanted(hold)
			.map(({ line, formula, units }) => ({
				line,
				formula,
				units: units - has.filter((unit) => unit.line === line && unit.lot.formula === formula).length,
			}))
			.filter(({ units }) => units > 0);
	}
	add(lot: OracleLot, units: number): void {
		for (let i = 0; i < units; i++) this.units.push({ lot, place: "free" });
	}
	at = (lot: OracleLot, place: Place): Unit[] => this.units.filter((unit) => unit.lot === lot && unit.place === place);

	sellable = (sku: string): boolean => ["one", "pair", "kit", "tik"].includes(sku);

	promised(formula: string, pools: readonly number[]): number {
		return pools.reduce((sum, pool) => sum + (this.promises.get(`${formula} ${pool}`) ?? 0), 0);
	}

	/** What check must answer for a sellable SKU (settlements, section 4). */
	counts(sku: string, pools: readonly number[]) {
		const parts = (RECIPES[sku] ?? []).map(([formula, per]) => {
			const available = this.pickable(formula, pools, null).length;
			return { available, promised: this.promised(formula, pools), per };
		});
		const available_qty = Math.min(...parts.map(({ available, per }) => Math.floor(available / per)));
		const atp_qty = Math.min(...parts.map((p) => Math.floor(Math.max(0, p.available - p.promised) / p.per)));
		const backorder_qty = Math.max(...parts.map((p) => Math.ceil(Math.max(0, p.promised - p.available) / p.per)));
		return { available_qty, atp_qty, promised_qty: available_qty - atp_qty + backorder_qty, backorder_qty };
	}

	/** `components` of GET /inventory: units, in date. */
	position(formula: string, pools: readonly number[]) {
		const here = this.units.filter(({ lot }) => lot.formula === formula && pools.includes(lot.pool) && this.good(lot));
		const free = here.filter(({ place }) => place === "free").length;
		const held = here.filter(({ place }) => place === "held" || place === "allocated").length;
		const on_hand_units = free + held;
		const reserved_units = held + this.promised(formula, pools);
		return { on_hand_units, reserved_units, atp_units: Math.max(0, on_hand_units - reserved_units) };
	}

	/** Every lot's balances, as text, in the order of ids. */
	balances(): string[] {
		const counts = new Map(
			this.lots.map((lot) => [
				lot,
				{ free: 0, held: 0, allocated: 0, consumed: 0, shipped: 0, quarantined: 0, destroyed: 0 },
			]),
		);
		for (const { lot, place } of this.units) {
			const count = counts.get(lot);
			if (count) count[place]++;
		}
		return [...counts]
			.map(([lot, n]) => {
				const parts = Object.entries(n).map(([place, units]) => `${place} ${units}`);
				return `${lot.id} in ${lot.receivedUnits}+${lot.correctedUnits}: ${parts.join(", ")}`;
			})
			.sort();
	}

	/** Every hold with its state and its units, as text. */
	states(): string[] {
		return this.holds
			.map((hold) => `${hold.token} ${hold.state} ${hold.consumeRef ?? "-"} ${this.unitsOf(hold)}`)
			.sort();
	}
	unitsOf(hold: OracleHold): string {
		const held = this.units.filter((unit) => unit.hold === hold);
		return tally(held.map((unit) => `${unit.place} ${unit.line} ${unit.lot.id}`));
	}
}

/** The bucket of a hold's units as long as they are bound to it. */
const boundPlace = ({ state }: OracleHold): Place => (state === "placed" ? "allocated" : "held");
const HAD: ReadonlySet<Place> = new Set(["held", "allocated", "shipped"]);

/** How often each word occurs, in alphabetical order. */
export function tally(words: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
	return [...counts]
		.map(([word, n]) => `${n}x(${word})`)
		.sort()
		.join(" ");
}
