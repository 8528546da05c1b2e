import type { PackedLot } from "./shipment.ts";

export interface BatchUnits {
	readonly formula_id: string;
	readonly batch_number: string;
	units: number;
}

/** Adds up the lots of one formula and batch in several pools, because a label shows only formula and batch. */
export function byBatch(lots: readonly PackedLot[]): BatchUnits[] {
	const batches = new Map<string, BatchUnits>();
	for (const { formula_id, batch_number, units } of lots) {
		const key = `${formula_id}/${batch_number}`;
		const known = batches.get(key);
		if (known) known.units += units;
		else batches.set(key, { formula_id, batch_number, units });
	}
	return [...batches.values()];
}
