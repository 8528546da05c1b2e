import { Bounds } from "../../check/bounds.ts";
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import type { Life } from "./lives.ts";

/** Where the units of a hold go at each kind of end. */
const ENDINGS = { released: "free", expired: "free", consumed: "consumed", placed: "allocated" } as const;

/**
 * Applies the lives of holds to the shelves. A consume or a place that was decided before its hold's end is seen when
 * its commit is on the standby: until then a count, which waits for nobody, shows a hold that is over by the clock.
 */
export function settleLives(on: Case, lives: Iterable<Life>): void {
	for (const { units, created, expiresAt, end, back } of lives) {
		const due = on.dueAt(expiresAt, created.latest).earliest;
		const isTaken = end.how === "consumed" || end.how === "placed";
		for (const { formula, brand, units: count } of units) {
			on.shelves.affect(formula, brand, { free: -count, held: count }, created.earliest, created.latest);
			if (isTaken && due < end.latest) on.shelves.mayShowAsFree(formula, brand, count, due, end.latest);
			const ending = ENDINGS[end.how];
			on.shelves.affect(
				formula,
				brand,
				{ held: -count, [ending]: count },
				Math.max(end.earliest, created.earliest),
				Math.max(end.latest, created.latest),
			);
			if (back) on.shelves.affect(formula, brand, { consumed: -count, free: count }, back.earliest, back.latest);
		}
	}
}

/** Keys that certainly held more than their cap. */
export function judgeCaps(on: Case, lives: Iterable<Life>): Finding[] {
	const rooms = new Map<string, Bounds>();
	for (const { actor: name, units, created, end } of lives) {
		const cap = on.actors.get(name)?.cap ?? null;
		if (cap === null) continue;
		let room = rooms.get(name);
		if (!room) {
			room = new Bounds();
			room.change(cap, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY);
			rooms.set(name, room);
		}
		// units that a recall took for good are no longer held
		const lasting = units.filter(({ formula }) => !on.opening.world.lossy.includes(formula));
		const held = lasting.reduce((sum, { units: count }) => sum + count, 0);
		room.change(-held, created.earliest, created.latest);
		room.change(held, Math.max(end.earliest, created.earliest), Math.max(end.latest, created.latest));
	}
	return [...rooms].flatMap(([name, room]) =>
		room.belowZero().map(({ at, high }) => finding("oversold", `${name} held ${-high} units more than its cap`, at)),
	);
}
