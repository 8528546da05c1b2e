/** Applies orders and boxes to the shelves. */
import type { Case, When } from "../../check/case.ts";
import { SETTLES_WITHIN_MS } from "../holds/lives.ts";
import type { Careers, OrderCommand } from "./careers.ts";
import type { PrintedBox } from "./chores.ts";
import type { BoxFact, OrderFacts } from "./look-up-sql.ts";

export function settleOrders(on: Case, { byId, commands }: Careers, facts: OrderFacts | null): void {
	for (const { cancelled, life, placed } of byId.values()) {
		if (cancelled === null || life === null) continue;
		const earliest = Math.max(cancelled.earliest, placed.earliest);
		const latest = Math.max(cancelled.latest, placed.latest);
		for (const { formula, brand, units } of life.units)
			on.shelves.affect(formula, brand, { allocated: -units, free: units }, earliest, latest);
	}
	for (const box of facts?.boxes ?? []) {
		if (box.shippedAt === null) continue;
		const left = whenOf(shipsOf(box, commands));
		if (left === null) continue;
		const back = box.status === "voided" ? whenOf(voidsOf(box, commands)) : null;
		for (const [, formulaId, brand, units] of box.units) {
			const formula = on.shelves.codeOf(formulaId) ?? formulaId;
			on.shelves.affect(formula, brand, { allocated: -units, shipped: units }, left.earliest, left.latest);
			if (back) {
				const earliest = Math.max(left.earliest, back.earliest);
				on.shelves.affect(
					formula,
					brand,
					{ shipped: -units, allocated: units },
					earliest,
					Math.max(left.latest, back.latest),
				);
			}
		}
	}
}

/**
 * Boxes that a command reported as shipped. For a file of several boxes, the results are printed even if some failed.
 */
export function shipmentsOf({ errand, about, done }: OrderCommand): string[] {
	if (about.what !== "ship") return [];
	const { shipment_id: one, items = [] } = (errand.out ?? {}) as PrintedBox;
	if (done && one !== undefined) return [one];
	return items.flatMap(({ outcome, shipment_id: id }) => (outcome === "shipped" && id ? [id] : []));
}

/** Commands that may have shipped this box: the one that reported it, otherwise those with unknown outcome. */
export function shipsOf({ shipmentId, orders }: BoxFact, commands: readonly OrderCommand[]): OrderCommand[] {
	const ships = commands.filter(({ about }) => about.what === "ship");
	const told = ships.filter((command) => shipmentsOf(command).includes(shipmentId));
	if (told.length > 0) return told;
	return ships.filter(({ about, done }) => !done && about.orders.some((orderId) => orders.includes(orderId)));
}

export function voidsOf({ shipmentId }: BoxFact, commands: readonly OrderCommand[]): OrderCommand[] {
	const voids = commands.filter(({ about }) => about.what === "void" && about.shipment === shipmentId);
	const told = voids.filter(({ done }) => done);
	return told.length > 0 ? told : voids;
}

/** The interval in which one of these commands did it; null: there are none. */
function whenOf(commands: readonly OrderCommand[]): When | null {
	if (commands.length === 0) return null;
	const ends = commands.map(({ errand, done }) => errand.end + (done ? 0 : SETTLES_WITHIN_MS));
	return { earliest: Math.min(...commands.map(({ errand }) => errand.start)), latest: Math.max(...ends) };
}
