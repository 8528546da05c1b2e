/** The operators' commands on stock. Each leaves its own mark in the tables: a batch, or a reason. */
import type { Topic } from "../../knowledge.ts";
import type { Chore, Command, Situation } from "../room.ts";
import { DEMAND_CHORES } from "./demand.ts";

/** A lot that an operator may take out of sale, or has taken out. */
interface KnownLot {
	readonly fgId: string;
	readonly formula: string;
	readonly brand: string | null;
}

class LotsKnown {
	/** Lots of formulas that are recalled, in sale and quarantined. */
	readonly good: KnownLot[] = [];
	readonly quarantined: KnownLot[] = [];
	/** Lots of formulas that are supplied. */
	readonly supplied: KnownLot[] = [];
	#marks = 0;

	/** A batch number or reason that has not been used before. */
	newMark = (what: string): string => `${what}-${++this.#marks}`;
}
export const LOTS: Topic<LotsKnown> = { name: "lots", make: () => new LotsKnown() };

/** The subject of a chore, as recorded in the history. Units are the requested ones; null: all of the lot. */
export interface StockErrand {
	readonly what: "receive" | "correct" | "quarantine" | "recall" | "restore" | "import";
	readonly formula: string;
	readonly brand: string | null;
	readonly units: number | null;
	/** The batch number of a receive or import; otherwise the reason. */
	readonly mark: string;
	readonly fgId: string | null;
}

/** Minimum number of lots of a recalled formula that stay in sale, so that units taken out can be replaced. */
const LEAST_IN_SALE = 3;
const MOST_RECEIVED = 8;
const MOST_CORRECTED = 4;
/** Lots in the file of an import. */
const IMPORT_LOTS = 20;

type Chance = Situation["chance"];
/** New lots expire in these years: sooner than the existing ones, which never do, and not in the order of receipt. */
const FIRST_YEAR = 2030;
const LAST_YEAR = 2040;
const expiry = (chance: Chance): string => `${chance.between(FIRST_YEAR, LAST_YEAR)}-0${chance.between(1, 9)}-28`;

type Wants = Omit<Situation, "actor">;

function shelfOf({ world, chance }: Wants): { formula: string; brand: string | null } {
	const formula = chance.pick(world.supplied);
	const lots = world.formulas.find(({ code }) => code === formula)?.lots ?? [];
	return { formula, brand: chance.pick(lots).brand };
}

function receive(wants: Wants): Command {
	const { knows, chance } = wants;
	const { formula, brand } = shelfOf(wants);
	const mark = knows.of(LOTS).newMark("in");
	const units = chance.between(1, MOST_RECEIVED);
	const about: StockErrand = { what: "receive", formula, brand, units, mark, fgId: null };
	return {
		args: [
			"stock",
			"receive",
			"--formula",
			formula,
			"--batch",
			mark,
			"--units",
			String(units),
			"--json",
			"--expires",
			expiry(chance),
			...(brand === null ? [] : ["--brand", brand]),
		],
		about,
		learn: ({ code }, printed) => {
			const { fg_id: fgId } = (printed ?? {}) as { fg_id?: string };
			if (code === 0 && fgId) knows.of(LOTS).supplied.push({ fgId, formula, brand });
		},
	};
}

/** Adds units, or removes a few: the units removed must be free, or the command is refused. */
function correct({ knows, chance }: Wants): Command | null {
	const { supplied } = knows.of(LOTS);
	if (supplied.length === 0) return null;
	const lot = chance.pick(supplied);
	const units = chance.happens(0.5) ? chance.between(1, MOST_CORRECTED) : -1;
	return moveOf("correct", lot, units, knows.of(LOTS).newMark("recount"));
}

function quarantine({ knows, chance }: Wants): Command | null {
	const lots = knows.of(LOTS);
	if (lots.good.length <= LEAST_IN_SALE) return null;
	const lot = takeFrom(lots.good, chance);
	return moveOf("quarantine", lot, null, lots.newMark("recall"), () => lots.quarantined.push(lot));
}

/**
 * Recalls a lot of a formula with so little stock that holds and orders lose units: the effect shows in them, not
 * in the counts.
 */
function recall({ knows, chance, world }: Wants): Command | null {
	const lots = knows.of(LOTS);
	const fragile = lots.good.filter(({ formula }) => world.lossy.includes(formula));
	if (fragile.length < 2) return null;
	const lot = chance.pick(fragile);
	lots.good.splice(lots.good.indexOf(lot), 1);
	const { fgId, formula, brand } = lot;
	const mark = lots.newMark("bad");
	return {
		args: ["stock", "recall", fgId, "--reason", mark, "--json"],
		about: { what: "recall", formula, brand, units: null, mark, fgId } satisfies StockErrand,
		learn: () => lots.quarantined.push(lot),
	};
}

function restore({ knows, chance }: Wants): Command | null {
	const lots = knows.of(LOTS);
	if (lots.quarantined.length === 0) return null;
	const lot = takeFrom(lots.quarantined, chance);
	return moveOf("restore", lot, null, lots.newMark("good"), () => lots.good.push(lot));
}

function takeFrom(lots: KnownLot[], chance: Chance): KnownLot {
	const [lot] = lots.splice(chance.between(0, lots.length - 1), 1);
	if (!lot) throw new Error("nothing to take");
	return lot;
}

function moveOf(
	what: StockErrand["what"],
	lot: KnownLot,
	units: number | null,
	mark: string,
	after?: () => void,
): Command {
	const { fgId, formula, brand } = lot;
	const about: StockErrand = { what, formula, brand, units, mark, fgId };
	const amount = units === null ? ["--all"] : [`--units=${units}`];
	const confirmed = what === "restore" ? ["--ends-recall"] : []; // needed if the lot was recalled
	return {
		args: ["stock", what, fgId, ...amount, ...confirmed, "--reason", mark, "--json"],
		about,
		// even if its outcome is unknown, the lot is in one of two states; the next such command shows which
		...(after ? { learn: after } : {}),
	};
}

/** A file with new lots of one shelf and a new name for a SKU, so that nodes read the catalogue again. */
function importLots(wants: Wants): Command {
	const { knows, chance, world } = wants;
	const { formula, brand } = shelfOf(wants);
	const mark = knows.of(LOTS).newMark("file");
	const units = IMPORT_LOTS;
	const lots = Array.from({ length: units }, (_, i) => ({
		formula,
		brand_code: brand,
		batch_number: `${mark}-${i}`,
		units: 1,
		expires_on: expiry(chance),
	}));
	const { sku, kind, parts } = chance.pick(world.skus);
	const components = parts.map((part) => ({ formula: part.formula, per_kit: part.perKit }));
	const about: StockErrand = { what: "import", formula, brand, units, mark, fgId: null };
	return {
		args: ["import", "--json"],
		file: { lots, skus: [{ sku, name: `${sku} ${mark}`, kind, components }] },
		about,
	};
}

export const STOCK_CHORES: readonly Chore[] = [
	{ name: "receive", weight: 6, build: receive },
	{ name: "correct", weight: 3, build: correct },
	{ name: "quarantine", weight: 3, build: quarantine },
	{ name: "recall a lot", weight: 2, build: recall },
	{ name: "restore", weight: 4, build: restore },
	{ name: "import", weight: 5, build: importLots },
	...DEMAND_CHORES,
];
