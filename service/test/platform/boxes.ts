import { randomUUID } from "node:crypto";
import type { LabelBox } from "../../src/inventory/shipping/label-platform.ts";

/** A box of one order with two kits of one SKU, with the given changes. */
export function labelBox(change: Partial<LabelBox> & { readonly orderId?: string } = {}): LabelBox {
	const { orderId = randomUUID(), ...rest } = change;
	return {
		orders: [{ orderId, ref: `ref-${orderId.slice(0, 8)}` }],
		generation: 1,
		shipTo: {
			name: "Ada Example",
			company: null,
			line1: "1 Example Street",
			line2: null,
			city: "Austin",
			state: "TX",
			postalCode: "78701",
			country: "US",
			phone: "+1 512 555 0100",
			email: null,
		},
		service: "standard",
		items: [{ orderId, sku: "GLOW-30", name: "Glow, 30 ml", qty: 2 }],
		note: null,
		...rest,
	};
}
