import { must } from "../../ground/lib/assert.ts";
import { sum } from "../../ground/lib/sum.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { DrawDownCommand, DrawnDown, DrawnUnits } from "../stock/draw-down.ts";
import type { Origin } from "../stock/move.ts";
import {
	addDrawDown,
	addShortages,
	closeExceptions,
	type MissingUnits,
	type OpenShortage,
	reduceShortages,
} from "./exceptions-sql.ts";

/** The command `drawDown` in the caller's transaction, as in `ExecutesIn`. */
export type DrawIn = (tx: Query, commands: readonly DrawDownCommand[]) => Promise<readonly DrawnDown[]>;

export interface DemandSettings {
	readonly drawIn: DrawIn;
}

export interface ToDraw {
	readonly reference: string;
	/** Shipped units. */
	readonly due: readonly MissingUnits[];
	/** Units missing so far; the caller has locked their rows. */
	readonly late: readonly OpenShortage[];
}

export interface Drawn {
	readonly drawn: readonly DrawnUnits[];
	readonly drawnUnits: number;
	/** Units that no lot has. */
	readonly missingUnits: number;
}

/**
 * Draws units down and records their lots; units that no lot has become an exception. Uses a single command, so that
 * the transaction locks all lots in one go and in order.
 */
export async function drawUnits(
	tx: Query,
	{ drawIn }: DemandSettings,
	{ reference, due, late }: ToDraw,
	origin: Origin,
): Promise<Drawn> {
	const wants = [...due, ...late];
	if (wants.length === 0) return { drawn: [], drawnUnits: 0, missingUnits: 0 };
	const [answer] = await drawIn(tx, [{ kind: "drawDown", origin, reference, wants }]);
	const { drawn, missing } = must(answer, "an answer");
	if (drawn.length > 0) {
		const fgIds = drawn.map(({ fgId }) => fgId);
		const units = drawn.map((one) => one.units);
		await addDrawDown(tx, reference, fgIds, units);
	}
	const lacks = (index: number): number => must(missing[index], "what a want lacks");
	const stillLate = late.map((shortage, index) => ({ ...shortage, left: lacks(due.length + index) }));
	await noteLate(tx, stillLate, origin.actor);
	const short = due.map((want, index) => ({ ...want, units: lacks(index) })).filter(({ units }) => units > 0);
	if (short.length > 0) await addShortages(tx, reference, short);
	return { drawn, drawnUnits: sum(drawn.map(({ units }) => units)), missingUnits: sum(missing) };
}

async function noteLate(
	tx: Query,
	late: readonly (OpenShortage & { readonly left: number })[],
	actor: string,
): Promise<void> {
	const idsOf = (some: typeof late): number[] => some.map(({ exceptionId }) => exceptionId);
	const found = late.filter(({ left }) => left === 0);
	const reduced = late.filter(({ left, units }) => left > 0 && left < units);
	if (found.length > 0) await closeExceptions(tx, idsOf(found), "drawn", actor, null);
	if (reduced.length > 0) {
		await reduceShortages(
			tx,
			reduced.map(({ left, ...shortage }) => ({ ...shortage, units: left })),
		);
	}
}
