import type { Role } from "../../glossary.ts";

/**
 * The least role for each operation of the operator's API (operator contract, sections 2, 4 and 8). This table decides:
 * an operation that is missing here does not compile.
 */
export const LEAST_ROLE = {
	get_me: "viewer",
	list_tokens: "admin",
	mint_token: "admin",
	revoke_token: "admin",
	list_audit: "admin",
	verify_audit: "admin",
	list_runs: "viewer",
	get_run: "viewer",
	// whoever may start such a run may stop it
	stop_run: "viewer",
	list_partners: "viewer",
	get_partner: "viewer",
	make_partner: "operator",
	rename_partner: "operator",
	list_keys: "viewer",
	get_key: "viewer",
	// sandbox keys; live ones ask for `admin` (LIVE_KEY_ROLE)
	mint_key: "operator",
	rotate_key: "operator",
	suspend_key: "operator",
	resume_key: "operator",
	revoke_key: "operator",
	list_brands: "viewer",
	get_brand: "viewer",
	put_brand: "operator",
	list_formulas: "viewer",
	get_formula: "viewer",
	put_formula: "operator",
	list_products: "viewer",
	get_product: "viewer",
	put_product: "operator",
	list_skus: "viewer",
	get_sku: "viewer",
	put_sku: "operator",
	list_lots: "viewer",
	get_lot: "viewer",
	list_lot_moves: "viewer",
	list_moves: "viewer",
	// units of a recalled batch number that are accepted as good ask for `operator`
	receive_batch: "warehouse",
	receive_units: "warehouse",
	correct_lot: "operator",
	locate_lot: "warehouse",
	list_holds: "viewer",
	get_hold: "viewer",
	release_hold: "operator",
	list_orders: "viewer",
	get_order: "viewer",
	hold_order: "operator",
	release_order: "operator",
	cancel_order: "operator",
	list_queue: "viewer",
	list_boxes: "viewer",
	get_box: "viewer",
	list_combinable: "viewer",
	combine_boxes: "warehouse",
	pick_order: "warehouse",
	label_box: "warehouse",
	ship_box: "warehouse",
	void_box: "warehouse",
	pack_order: "warehouse",
	make_pick_list: "warehouse",
	explain_count: "viewer",
} as const satisfies { readonly [operation: string]: Role };

/** The least role that may change a live key (operator contract, section 4). */
export const LIVE_KEY_ROLE: Role = "admin";
