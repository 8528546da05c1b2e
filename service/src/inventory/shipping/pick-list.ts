import { sum } from "../../ground/lib/sum.ts";
import type { ListedLot, OrderOfMove } from "../stock/list-lots-sql.ts";
import { byFefo } from "../stock/lot.ts";

/** Default number of boxes of the queue on a pick list. */
export const DEFAULT_BOXES = 50;

/** Units of a lot to pick for one order. */
export interface PickPart
	extends OrderOfMove,
		Pick<ListedLot, "fgId" | "formula" | "batchNumber" | "expiresOn" | "receivedOn" | "brandCode" | "location"> {
	readonly units: number;
}

type LotToPick = Omit<PickPart, keyof OrderOfMove>;

/** One stop of the route: a lot, and the units for each order. */
export interface PickStop extends LotToPick {
	readonly units: number;
	readonly orders: readonly (OrderOfMove & { readonly units: number })[];
}

export interface PickList {
	readonly stops: readonly PickStop[];
	readonly units: number;
	/** Number of distinct orders. */
	readonly orders: number;
}

/** Sorts `A-2` before `A-10` and ignores case. */
const byName = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/**
 * The route for some orders: by location (lots without one last), then by formula, then first expired first. The orders
 * of a stop keep their given order. Pure.
 */
export function pickList(parts: readonly PickPart[]): PickList {
	const stops = new Map<string, LotToPick & { given: Map<string, PickStop["orders"][number]> }>();
	for (const part of parts) {
		const { orderId, ref, externalOrderId, partner, ...lot } = part;
		const stop = stops.get(lot.fgId) ?? { ...lot, given: new Map<string, PickStop["orders"][number]>() };
		stops.set(lot.fgId, stop);
		const units = (stop.given.get(orderId)?.units ?? 0) + lot.units;
		stop.given.set(orderId, { orderId, ref, externalOrderId, partner, units });
	}
	const sorted = [...stops.values()].sort(onTheWay).map(({ given: orders, ...lot }): PickStop => {
		const given = [...orders.values()];
		return { ...lot, units: sum(given.map(({ units }) => units)), orders: given };
	});
	const units = sum(sorted.map((stop) => stop.units));
	return { stops: sorted, units, orders: new Set(parts.map(({ orderId }) => orderId)).size };
}

function onTheWay(a: LotToPick, b: LotToPick): number {
	if (a.location === null || b.location === null) {
		if (a.location !== b.location) return a.location === null ? 1 : -1;
	} else {
		const order = byName.compare(a.location, b.location);
		if (order !== 0) return order;
	}
	return byName.compare(a.formula, b.formula) || byFefo({ ...a, available: 0 }, { ...b, available: 0 });
}

/** The same as a table with one row per stop and order; columns about the stop are filled only in its first row. */
export function pickTable({ stops }: PickList): { headings: string[]; rows: (string | number)[][] } {
	const rows = stops.flatMap((stop) =>
		stop.orders.map(({ ref, externalOrderId, partner, units }, index) => {
			const { location, formula, batchNumber, expiresOn, brandCode } = stop;
			const lot = [location ?? "-", formula, batchNumber, expiresOn ?? "never", brandCode ?? "(shared)", stop.units];
			return [...(index === 0 ? lot : lot.map(() => "")), externalOrderId ?? ref, partner, units];
		}),
	);
	return {
		headings: ["LOCATION", "FORMULA", "BATCH", "EXPIRES", "BRAND", "TAKE", "ORDER", "PARTNER", "UNITS"],
		rows,
	};
}
