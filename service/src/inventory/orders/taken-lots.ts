import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Hold } from "../holds/hold.ts";
import type { Lot } from "../stock/lot.ts";
import { nameOfOrder, type Order } from "./order.ts";

/** Units of a lot that somebody took from the shelf for an order. */
export interface TakenLot {
	readonly fgId: string;
	readonly batchNumber: string;
	readonly isRecalled: boolean;
	readonly units: number;
}

/** What to do if other units were taken than the order has now, as sentences; null: just these were taken. Pure. */
export function correctionOf(
	hold: { readonly parts: readonly Pick<Hold["parts"][number], "state" | "fgId" | "units">[] },
	lots: ReadonlyMap<string, Pick<Lot, "batchNumber" | "recalled">>,
	taken: readonly TakenLot[],
): string | null {
	const missing = new Map<string, number>();
	const add = (fgId: string, units: number): unknown => missing.set(fgId, (missing.get(fgId) ?? 0) + units);
	for (const { state, fgId, units } of hold.parts) if (state === "allocated") add(fgId, units);
	for (const { fgId, units } of taken) add(fgId, -units);
	const names = new Map(taken.map(({ fgId, batchNumber, isRecalled }) => [fgId, { batchNumber, isRecalled }]));
	const sentences: string[] = [];
	for (const [fgId, units] of [...missing].sort(([, a], [, b]) => a - b)) {
		const batch = names.get(fgId)?.batchNumber ?? lots.get(fgId)?.batchNumber ?? fgId;
		const isRecalled = names.get(fgId)?.isRecalled === true || lots.get(fgId)?.recalled === true;
		if (units < 0) sentences.push(isRecalled ? putAside(-units, batch) : `Put back ${-units} of batch ${batch}.`);
		if (units > 0) sentences.push(`Take ${units} of batch ${batch}.`);
	}
	return sentences.length === 0 ? null : sentences.join(" ");
}

/** Refuses a pick of other units than the order has. */
export const refuseOtherLots = (
	order: Pick<Order, "externalOrderId" | "ref">,
	correction: string,
): Refusal<"wrong_state"> =>
	refuse("wrong_state", `The lots of order ${nameOfOrder(order)} are not those that were taken. ${correction}`);

const putAside = (units: number, batch: string): string =>
	`Batch ${batch} was recalled: put these ${units} aside, they must not be shipped.`;
