/**
 * Demand from elsewhere that operators enter and clear: it lowers what can be promised, while nothing is bound to it.
 */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { type Errand, outcomeOfErrand } from "../../history.ts";
import type { Topic } from "../../knowledge.ts";
import type { Chore, Command, Situation } from "../room.ts";

/** What a chore is about, as the history has it. */
interface DemandErrand {
	readonly what: "demand";
	readonly reference: string;
	readonly formula: string;
	readonly brand: string | null;
	/** Units that stand under the reference afterwards; 0: it is cleared. */
	readonly units: number;
}

/** What the tables have under a reference. */
export interface DemandFact {
	readonly reference: string;
	readonly formula: string;
	readonly brand: string | null;
	readonly units: number;
}

/** A reference that operators use: by one of them at a time, or the order of two changes would be known to nobody. */
interface Reference {
	readonly reference: string;
	readonly formula: string;
	readonly brand: string | null;
	/** Null: nobody knows; then it is used no more. */
	units: number | null;
	busy: boolean;
}

class DemandKnown {
	readonly references: readonly Reference[];

	constructor() {
		const shelves = [null, "ACME", null, "ACME", null, null, "ACME", null];
		this.references = shelves.map((brand, n) => ({
			reference: `elsewhere-${n + 1}`,
			formula: PROMISED,
			brand,
			units: 0,
			busy: false,
		}));
	}
}
const DEMAND: Topic<DemandKnown> = { name: "demand", make: () => new DemandKnown() };

/** The formula that demand is entered for: so few units are there that what is promised decides what is granted. */
const PROMISED = "PROMISED";
const MOST_UNITS = 30;
/** Milliseconds after a command ended within which it has happened, if the tables say that it happened. */
const SETTLES_WITHIN_MS = 30_000;

type Wants = Omit<Situation, "actor">;

const usable = ({ knows }: Wants): (Reference & { units: number })[] =>
	knows.of(DEMAND).references.filter((one): one is Reference & { units: number } => !one.busy && one.units !== null);

function command(one: Reference, units: number, args: readonly string[]): Command {
	one.busy = true;
	const { reference, formula, brand } = one;
	return {
		args: ["demand", ...args, "--reference", reference, "--json"],
		about: { what: "demand", reference, formula, brand, units } satisfies DemandErrand,
		learn: ({ code }) => {
			one.busy = false;
			one.units = code === 0 ? units : null;
		},
	};
}

/** Adds demand, or replaces what stands under the reference. */
function add(wants: Wants): Command | null {
	const free = usable(wants);
	if (free.length === 0) return null;
	const one = wants.chance.pick(free);
	const units = wants.chance.between(1, MOST_UNITS);
	const brand = one.brand === null ? [] : ["--brand", one.brand];
	return command(one, units, ["add", "--formula", one.formula, ...brand, "--units", String(units)]);
}

function clear(wants: Wants): Command | null {
	const standing = usable(wants).filter(({ units }) => units > 0);
	return standing.length === 0 ? null : command(wants.chance.pick(standing), 0, ["clear"]);
}

export const DEMAND_CHORES: readonly Chore[] = [
	{ name: "add demand", weight: 5, build: add },
	{ name: "clear demand", weight: 4, build: clear },
];

const demandErrands = (on: Case): { errand: Errand; about: DemandErrand }[] =>
	on.errands
		.filter(({ args }) => args[0] === "demand")
		.map((errand) => ({ errand, about: errand.about as DemandErrand }));

/** `facts`: what the tables have at the end; null when nobody looked. */
export function settleDemand(on: Case, facts: readonly DemandFact[] | null): void {
	for (const own of Map.groupBy(demandErrands(on), ({ about }) => about.reference).values()) {
		let stands = 0;
		for (const { errand, about } of own) {
			const { formula, brand, reference, units } = about;
			const done = outcomeOfErrand(errand) === "done";
			const found = facts?.find((fact) => fact.reference === reference)?.units ?? 0;
			if (!done && facts !== null && found !== units) continue; // it never happened
			const unknown = facts === null ? Number.POSITIVE_INFINITY : errand.end + SETTLES_WITHIN_MS;
			on.shelves.promise(formula, brand, units - stands, errand.start, done ? errand.end : unknown);
			stands = units;
		}
	}
}

/** What stands under each reference is what was last acknowledged; what nobody heard of may stand, too. */
export function judgeDemand(on: Case, facts: readonly DemandFact[]): Finding[] {
	return [...Map.groupBy(demandErrands(on), ({ about }) => about.reference)].flatMap(([reference, own]) => {
		const lastDone = own.findLast(({ errand }) => outcomeOfErrand(errand) === "done");
		const unknown = own.filter(({ errand }) => outcomeOfErrand(errand) === "unknown").map(({ about }) => about.units);
		const found = facts.find((fact) => fact.reference === reference)?.units ?? 0;
		const expected = lastDone?.about.units ?? 0;
		if (found === expected || unknown.includes(found)) return [];
		const what = `demand ${reference}: ${expected} units were acknowledged, the tables have ${found}`;
		return [finding(found < expected ? "lost" : "doubled", what, lastDone?.errand.end ?? null)];
	});
}
