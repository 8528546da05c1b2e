/** Demand that operators enter and clear: it lowers what can be promised although no units are bound to it. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { type Errand, outcomeOfErrand } from "../../history.ts";
import type { Topic } from "../../knowledge.ts";
import type { Chore, Command, Situation } from "../room.ts";

/** The subject of a chore, as recorded in the history. */
interface DemandErrand {
	readonly what: "demand";
	readonly reference: string;
	readonly formula: string;
	readonly brand: string | null;
	/** Units under the reference afterwards; 0: it was cleared. */
	readonly units: number;
}

/** The demand of a reference in the tables. */
export interface DemandFact {
	readonly reference: string;
	readonly formula: string;
	readonly brand: string | null;
	readonly units: number;
}

/**
 * A reference of the operators. Only one of them uses it at a time; otherwise the order of two changes would be
 * unknown.
 */
interface Reference {
	readonly reference: string;
	readonly formula: string;
	readonly brand: string | null;
	/** Null: unknown; the reference is not used again. */
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

/** The formula that demand is entered for: so scarce that promised demand decides what is granted. */
const PROMISED = "PROMISED";
const MOST_UNITS = 30;
/** Milliseconds after the end of a command within which its effect has happened, if the tables show it. */
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

/** Adds demand, or replaces that of a reference. */
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

/** `facts`: the tables at the end; null if they were not read. */
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

/** The demand of each reference is the last acknowledged one, or that of a later command with unknown outcome. */
export function judgeDemand(on: Case, facts: readonly DemandFact[]): Finding[] {
	return [...Map.groupBy(demandErrands(on), ({ about }) => about.reference)].flatMap(([reference, own]) => {
		const lastDone = own.findLast(({ errand }) => outcomeOfErrand(errand) === "done");
		const unknown = own.filter(({ errand }) => outcomeOfErrand(errand) === "unknown").map(({ about }) => about.units);
		const found = facts.find((fact) => fact.reference === reference)?.units ?? 0;
		const expected = lastDone?.about.units ?? 0;
		if (found === expected || unknown.includes(found)) return [];
		const what = `demand ${reference}: ${expected} units were acknowledged, but the tables have ${found}`;
		return [finding(found < expected ? "lost" : "doubled", what, lastDone?.errand.end ?? null)];
	});
}
