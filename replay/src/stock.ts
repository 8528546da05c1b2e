import type { Catalogue } from "./catalogue.ts";
import { chance } from "./chance.ts";
import type { Order } from "./orders.ts";

/** A row of world.json's `lots`. */
export interface Lot {
	readonly formula: string;
	readonly brand_code: string | null;
	readonly batch_number: string;
	readonly expires_on?: string;
	readonly received_on?: string;
	readonly units: number;
}

/** A row of world.json's `demand` (with `reference`) or `buffers` (without). */
export interface Promised {
	readonly formula: string;
	readonly brand_code: string | null;
	readonly units: number;
	readonly reference?: string;
}

export interface Stock {
	readonly lots: Lot[];
	readonly demand: Promised[];
	readonly buffers: Promised[];
	/** Lots past their date, whose stock must not count. */
	readonly expired: Set<Lot>;
	/** Formulas with enough units for all orders, in whatever order they come. */
	readonly plenty: Set<string>;
}

/** Share of formulas that run short. */
const SHORT_SHARE = 0.03;
/** Shares of formulas with a short-dated lot, demand or a buffer. */
const SHORT_DATED_SHARE = 0.05;
const EXPIRED_SHARE = 0.1;
const DEMAND_SHARE = 0.1;
const BUFFER_SHARE = 0.08;
const BRAND_DEMAND_SHARE = 0.03;
/** Share of combinations of brand and formula without own stock. */
const NO_OWN_STOCK_SHARE = 0.4;
/** Share of pools whose stock is in two or three lots. */
const SEVERAL_LOTS_SHARE = 0.3;
/** Days. Too short for a hold of 14 days, but still in date at midnight. */
const SHORT_DATED_DAYS = 3;
const LEAST_DAYS = 60;
const MOST_DAYS = 720;

const DAY_MS = 86_400_000;
const SHARED = "";

/** Units wanted of one formula: by brand (with access to the shared stock), and by brands that have only their own. */
interface Wanted {
	/** Brand, or SHARED, to units. */
	readonly withShared: Map<string, number>;
	readonly ownOnly: Map<string, number>;
}

/**
 * Derives the stock from what the orders will request. `today` (epoch ms) is the day that expiry dates are counted
 * from.
 */
export function toStock(catalogue: Catalogue, orders: readonly Order[], seed: number, today: number): Stock {
	const wanted = wantedUnits(catalogue, orders);
	const stock: Stock = { lots: [], demand: [], buffers: [], expired: new Set(), plenty: new Set() };
	for (const formula of catalogue.formulas.keys()) {
		new Shelf(stock, formula, wanted.get(formula) ?? { withShared: new Map(), ownOnly: new Map() }, seed, today).fill();
	}
	return stock;
}

function wantedUnits(catalogue: Catalogue, orders: readonly Order[]): Map<string, Wanted> {
	const wanted = new Map<string, Wanted>();
	for (const { channel, brand, parts } of orders) {
		for (const line of parts.flatMap((part) => part.lines)) {
			for (const { formula, per_kit } of catalogue.articles.get(line.sku)?.components ?? []) {
				const entry = wanted.get(formula) ?? { withShared: new Map(), ownOnly: new Map() };
				wanted.set(formula, entry);
				const units = channel.shared ? entry.withShared : entry.ownOnly;
				units.set(brand ?? SHARED, (units.get(brand ?? SHARED) ?? 0) + line.qty * per_kit);
			}
		}
	}
	return wanted;
}

const sum = (units: ReadonlyMap<string, number>): number => [...units.values()].reduce((a, b) => a + b, 0);

/** One formula's stock, pool by pool. */
class Shelf {
	readonly #stock: Stock;
	readonly #formula: string;
	readonly #wanted: Wanted;
	readonly #seed: number;
	readonly #today: number;

	constructor(stock: Stock, formula: string, wanted: Wanted, seed: number, today: number) {
		this.#stock = stock;
		this.#formula = formula;
		this.#wanted = wanted;
		this.#seed = seed;
		this.#today = today;
	}

	fill(): void {
		const short = this.#chance("short") < SHORT_SHARE && sum(this.#wanted.withShared) + sum(this.#wanted.ownOnly) > 1;
		if (!short) this.#stock.plenty.add(this.#formula);
		const promised = this.#promise();
		for (const [brand, units] of this.#wanted.withShared) {
			if (brand === SHARED || this.#chance(`own ${brand}`) < NO_OWN_STOCK_SHARE) continue;
			this.#lots(brand, Math.ceil(units * (0.3 + 0.5 * this.#chance(`share ${brand}`)) * (short ? 0.5 : 1)));
		}
		for (const [brand, units] of this.#wanted.ownOnly)
			this.#lots(brand, short ? Math.ceil(units * 0.6) : units + this.#upTo("spare own", 20));
		// Enough shared stock for everybody who may draw on it, even if no brand had any of its own.
		const all = sum(this.#wanted.withShared);
		const shared = short ? Math.ceil(all * (0.4 + 0.4 * this.#chance("shortage"))) : all + this.#upTo("spare", 20) - 1;
		this.#lots(SHARED, shared + promised);
		if (this.#chance("short-dated") < SHORT_DATED_SHARE)
			this.#lot(SHARED, "SOON", 4 + this.#upTo("soon", 16), SHORT_DATED_DAYS);
		if (this.#chance("expired") < EXPIRED_SHARE) {
			const days = -this.#upTo("expired days", 90);
			const lot = this.#lot(SHARED, "OLD", 9 + this.#upTo("old", 40), days);
			this.#stock.expired.add(lot);
		}
	}

	/** Adds demand and buffers; returns the units they take, which are added to what the orders want. */
	#promise(): number {
		const { demand, buffers } = this.#stock;
		const row = (brand: string | null, units: number): Promised => ({
			formula: this.#formula,
			brand_code: brand,
			units,
		});
		const before = demand.length + buffers.length;
		if (this.#chance("demand") < DEMAND_SHARE)
			demand.push({ ...row(null, this.#upTo("demand units", 30)), reference: "orders-before-the-file" });
		if (this.#chance("buffer") < BUFFER_SHARE) buffers.push(row(null, this.#upTo("buffer units", 10)));
		const brand = [...this.#wanted.withShared.keys()].find((code) => code !== SHARED);
		if (brand !== undefined && this.#chance("brand demand") < BRAND_DEMAND_SHARE) {
			demand.push({ ...row(brand, this.#upTo("brand demand units", 15)), reference: "promised-by-brand" });
		}
		return before === demand.length + buffers.length
			? 0
			: [...demand, ...buffers].filter((p) => p.formula === this.#formula).reduce((total, p) => total + p.units, 0);
	}

	/** Puts the units in one lot, or in two or three; some without an expiry date. */
	#lots(brand: string, units: number): void {
		const several = units >= 10 && this.#chance(`several ${brand}`) < SEVERAL_LOTS_SHARE;
		const count = several ? 1 + this.#upTo(`lots ${brand}`, 2) : 1;
		for (let i = 0, left = units; i < count && left > 0; i += 1) {
			const part = i === count - 1 ? left : Math.ceil(left * (0.3 + 0.4 * this.#chance(`lot ${brand} ${i}`)));
			const days = LEAST_DAYS + this.#upTo(`days ${brand} ${i}`, MOST_DAYS - LEAST_DAYS);
			this.#lot(brand, `B${i + 1}`, part, this.#chance(`dated ${brand} ${i}`) < 0.2 ? null : days);
			left -= part;
		}
	}

	#lot(brand: string, batch: string, units: number, days: number | null): Lot {
		const received = -90 - this.#upTo(`received ${brand} ${batch}`, 200);
		const lot: Lot = {
			formula: this.#formula,
			brand_code: brand === SHARED ? null : brand,
			batch_number: `${this.#formula}-${brand === SHARED ? "SHARED" : brand}-${batch}`,
			...(days === null ? {} : { expires_on: this.#date(days) }),
			received_on: this.#date(received),
			units,
		};
		this.#stock.lots.push(lot);
		return lot;
	}

	#date = (days: number): string => new Date(this.#today + days * DAY_MS).toISOString().slice(0, 10);
	#chance = (what: string): number => chance(this.#seed, `${this.#formula} ${what}`);
	/** 1 to `most`. */
	#upTo = (what: string, most: number): number => 1 + Math.floor(this.#chance(what) * most);
}
