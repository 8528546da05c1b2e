/** The parts of the service's answers that the replay reads (contract, section 2). */

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
