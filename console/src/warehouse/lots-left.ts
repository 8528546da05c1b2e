import type { PackedOrder } from "./orders-of.ts";

type Item = PackedOrder["items"][number];
type Lot = Item["components"][number]["lots"][number];

/** The lots of an item whose units have not left yet: what a shipped box had of a batch is subtracted. */
export function lotsLeft({ order_id, shipments }: PackedOrder, { sku, components }: Item): readonly Lot[] {
	const gone = new Map<string, number>();
	for (const { status, items } of shipments) {
		if (status !== "shipped") continue;
		for (const { lots } of items.filter((item) => item.order_id === order_id && item.sku === sku)) {
			for (const { formula_id, batch_number, units } of lots) {
				const batch = `${formula_id} ${batch_number}`;
				gone.set(batch, (gone.get(batch) ?? 0) + units);
			}
		}
	}
	return components.flatMap(({ formula_id, lots }) =>
		lots.flatMap((lot) => {
			const batch = `${formula_id} ${lot.batch_number}`;
			const off = Math.min(lot.units, gone.get(batch) ?? 0);
			gone.set(batch, (gone.get(batch) ?? 0) - off);
			return off === lot.units ? [] : [{ ...lot, units: lot.units - off }];
		}),
	);
}
