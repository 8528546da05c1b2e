import type { OrderAnswer } from "./answers.ts";
import type { Pool } from "./books.ts";

/** Formula and pool of a lot, as given when it was received. */
export interface LotPlace {
	readonly fgId: string;
	readonly formulaId: string;
	readonly pool: Pool;
	readonly batch: string;
}

/** An order's units of one formula in one pool. */
export interface OrderShare {
	readonly formulaId: string;
	readonly pool: Pool;
	/** Bound to the order, still on the shelf. */
	waiting: number;
	/** Left the warehouse. */
	shipped: number;
}

/** The lots of the run, by id and by the batch number that boxes show. */
export class Lots {
	readonly #byId = new Map<string, LotPlace>();
	readonly #byBatch = new Map<string, LotPlace>();

	add(lot: LotPlace): void {
		this.#byId.set(lot.fgId, lot);
		this.#byBatch.set(`${lot.formulaId} ${lot.batch}`, lot);
	}

	byId(fgId: string): LotPlace | undefined {
		return this.#byId.get(fgId);
	}

	/** Batch numbers of the replay name their pool, so that formula and batch identify a lot. */
	byBatch(formulaId: string, batch: string): LotPlace | undefined {
		return this.#byBatch.get(`${formulaId} ${batch}`);
	}
}

/**
 * An order's units by pool, from its answer: all its units by lot, and of these the ones in boxes that have left. A
 * cancelled order has none. Lots that were never received, and boxes with more units than the order had, are faults.
 */
export function sharesOf(order: OrderAnswer, lots: Lots): { shares: OrderShare[]; faults: string[] } {
	const faults: string[] = [];
	const shares = new Map<string, OrderShare>();
	const share = (lot: LotPlace | undefined, what: string): OrderShare | undefined => {
		if (lot === undefined) {
			faults.push(`order ${order.ref}: ${what} was never received`);
			return undefined;
		}
		const key = `${lot.formulaId} ${lot.pool ?? ""}`;
		const known = shares.get(key) ?? { formulaId: lot.formulaId, pool: lot.pool, waiting: 0, shipped: 0 };
		shares.set(key, known);
		return known;
	};
	if (order.status === "cancelled") return { shares: [], faults };
	for (const { formula_id, lots: has } of order.items.flatMap(({ components }) => components)) {
		for (const { fg_id, batch_number, units } of has) {
			const own = share(lots.byId(fg_id) ?? lots.byBatch(formula_id, batch_number), `lot ${fg_id}`);
			if (own) own.waiting += units;
		}
	}
	for (const { formula_id, batch_number, units } of shippedLotsOf(order)) {
		const own = share(lots.byBatch(formula_id, batch_number), `batch ${batch_number}`);
		if (!own) continue;
		own.waiting -= units;
		own.shipped += units;
		if (own.waiting < 0) faults.push(`order ${order.ref}: more of batch ${batch_number} was shipped than it had`);
	}
	return { shares: [...shares.values()], faults };
}

/** The lots of this order in boxes that have left. */
export const shippedLotsOf = ({ order_id, shipments }: OrderAnswer) =>
	shipments
		.filter(({ status }) => status === "shipped")
		.flatMap(({ items }) => items.filter((item) => item.order_id === order_id))
		.flatMap((item) => item.lots);
