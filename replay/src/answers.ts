/** The fields of the service's answers that the replay reads (contract, section 2). */

export interface HeldComponent {
	readonly formula_id: string;
	readonly per_kit: number;
	readonly reserved_units: number;
	readonly from_brand_pool: number;
	readonly from_shared_pool: number;
	readonly fg_ids: readonly string[];
}

export interface HeldItem {
	readonly sku: string;
	readonly brand_code: string | null;
	readonly reserved_qty: number;
	readonly components: readonly HeldComponent[];
}

export interface HoldAnswer {
	readonly reservation_token: string;
	readonly expires_at: string;
	readonly idempotent: boolean;
	readonly items: readonly HeldItem[];
}

export interface CheckAnswer {
	readonly items: readonly { readonly sku: string; readonly atp_qty: number }[];
}

export interface Counts {
	readonly on_hand: number;
	readonly reserved: number;
	readonly atp: number;
}

export interface InventoryAnswer {
	readonly sku: string;
	readonly tracks_inventory: boolean;
	readonly components?: readonly {
		readonly formula_id: string;
		readonly on_hand_units: number;
		readonly reserved_units: number;
		readonly atp_units: number;
	}[];
	readonly by_brand: readonly (Counts & { readonly brand_code: string | null })[];
	readonly totals: Counts;
}

/** A lot from which an order has units, waiting or shipped. */
export interface OrderLot {
	readonly fg_id: string;
	readonly batch_number: string;
	readonly units: number;
}

export interface OrderItem {
	readonly sku: string;
	readonly qty: number;
	readonly shipped_qty: number;
	readonly components: readonly {
		readonly formula_id: string;
		readonly units: number;
		readonly lots: readonly OrderLot[];
	}[];
}

/** A box in orders and in the list (settlements, section 7). */
export interface BoxAnswer {
	readonly shipment_id: string;
	readonly status: "awaiting_shipment" | "on_hold" | "label_created" | "shipped" | "voided" | "cancelled";
	readonly orders: readonly { readonly order_id: string; readonly ref: string }[];
	readonly items: readonly {
		readonly order_id: string;
		readonly sku: string;
		readonly qty: number;
		readonly lots: readonly { readonly formula_id: string; readonly batch_number: string; readonly units: number }[];
	}[];
	readonly shipped_at: string | null;
	readonly version: number;
}

export interface OrderAnswer {
	readonly order_id: string;
	readonly ref: string;
	readonly external_order_id: string | null;
	readonly status: "placed" | "held" | "picked" | "partially_shipped" | "shipped" | "cancelled";
	readonly version: number;
	readonly reservation_token: string;
	readonly hold_reason: string | null;
	readonly items: readonly OrderItem[];
	readonly shipments: readonly BoxAnswer[];
}

/** A hold that is read back. */
export interface HoldReadBack {
	readonly reservation_token: string;
	readonly status: string;
	readonly items: readonly HeldItem[];
}

/** A page of any list. */
export interface PageAnswer<Item> {
	readonly items: readonly Item[];
	readonly next_cursor: string;
	readonly has_more: boolean;
}
