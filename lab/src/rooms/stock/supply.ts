/** Applies operators' commands on stock to the shelves, and checks that the tables contain each exactly once. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { type Errand, outcomeOfErrand } from "../../history.ts";
import type { StockErrand } from "./chores.ts";
import type { StockFacts } from "./look-up-sql.ts";

/** Milliseconds after the end of a command within which its effect has happened, if the tables show it. */
const SETTLES_WITHIN_MS = 30_000;
/** Milliseconds by which the sweep may lag behind the clock when the tables are read. */
const SWEEP_LAG_MS = 10_000;

interface Printed {
	readonly moved?: number;
	readonly lost?: number;
	/** For a restore: units that went back to holds and orders instead of becoming free. */
	readonly given_back?: number;
}

const stockErrands = (on: Case): { errand: Errand; about: StockErrand }[] =>
	on.errands
		.filter(({ args }) => (args[0] === "stock" && args[1] !== "recall") || args[0] === "import")
		.map((errand) => ({ errand, about: errand.about as StockErrand }));

/** After a recall, units that come back to the lot are not free: the counts of its shelf are not judged any more. */
function blurRecalled(on: Case): void {
	for (const { args, about, start } of on.errands) {
		const { formula, brand } = about as Partial<StockErrand>;
		if (args[0] !== "stock" || args[1] !== "recall" || formula === undefined) continue;
		const shelf = on.shelves.shelf(formula, brand ?? null);
		shelf.blurredFrom = Math.min(shelf.blurredFrom, start);
	}
}

export function settleSupply(on: Case): void {
	blurRecalled(on);
	const facts = on.facts<StockFacts>("stock");
	for (const { errand, about } of stockErrands(on)) {
		const { formula, brand } = about;
		const printed = (errand.out ?? {}) as Printed;
		const done = outcomeOfErrand(errand) === "done";
		const found = facts ? unitsFound(facts, about) : null;
		const units = done ? unitsDone(about, printed) : (found ?? unitsDone(about, {}));
		// unknown outcome: it happened if the tables show it, and perhaps if they were not read
		const latest = done ? errand.end : found === null ? Number.POSITIVE_INFINITY : errand.end + SETTLES_WITHIN_MS;
		on.shelves.affect(formula, brand, { free: units }, errand.start, latest);
		if ((printed.lost ?? 0) > 0 || on.opening.world.lossy.includes(formula)) {
			const shelf = on.shelves.shelf(formula, brand);
			shelf.blurredFrom = Math.min(shelf.blurredFrom, errand.start);
		}
	}
}

/** Units that became good, or (negative) ceased to be. */
function unitsDone({ what, units }: StockErrand, { moved = 0, given_back: givenBack = 0 }: Printed): number {
	switch (what) {
		case "quarantine":
			return -moved;
		case "restore":
			return moved - givenBack;
		default:
			return units ?? 0;
	}
}

/** Units in the tables under the errand's mark. */
function unitsFound({ marks, batches }: StockFacts, { what, mark }: StockErrand): number {
	if (what === "receive" || what === "import") return batches.find(({ batch }) => batch === mark)?.units ?? 0;
	return marks.find((fact) => fact.mark === mark && fact.cause === what)?.units ?? 0;
}

export function judgeSupply(on: Case): Finding[] {
	const facts = on.facts<StockFacts>("stock");
	if (!facts) return [];
	const errands = stockErrands(on).flatMap(({ errand, about }) => {
		const found = unitsFound(facts, about);
		const done = outcomeOfErrand(errand) === "done";
		const expected = unitsDone(about, (errand.out ?? {}) as Printed);
		const said = `${about.what} ${about.mark} of ${about.formula}`;
		if (done && Math.abs(found) < Math.abs(expected)) {
			return [
				finding("lost", `${said}: ${expected} units were acknowledged, but the tables have ${found}`, errand.end),
			];
		}
		const all = about.units === null;
		const whole = done || all ? expected : (about.units ?? 0);
		if ((done || !all) && Math.abs(found) > Math.abs(whole)) {
			return [finding("doubled", `${said}: ${whole} units were requested, but the tables have ${found}`, errand.end)];
		}
		const partly = !done && !all && found !== 0 && found !== whole;
		return partly
			? [finding("lost", `${said}: all or nothing was requested, but the tables have ${found} of ${whole}`, errand.end)]
			: [];
	});
	return [...errands, ...judgeShelves(on, facts)];
}

/** Compares the sums of the tables at the end with the history. */
function judgeShelves(on: Case, { shelves }: StockFacts): Finding[] {
	const findings: Finding[] = [];
	for (const { formula, brand, free, held, allocated, consumed, shipped } of shelves) {
		const shelf = on.shelves.shelf(formula, brand);
		if (shelf.blurredFrom < on.lookedAt) continue;
		for (const [place, found] of [
			["free", free],
			["held", held],
			["allocated", allocated],
			["consumed", consumed],
			["shipped", shipped],
		] as const) {
			const { low, high } = shelf[place].within(on.lookedAt - SWEEP_LAG_MS, on.lookedUntil);
			if (found >= low && found <= high) continue;
			const what = `${shelf.name}: ${found} units ${place} at the end; possible are ${low} to ${high}`;
			findings.push(finding(found < low ? "lost" : "doubled", what));
		}
	}
	return findings;
}
