/**
 * The files of each room that wait for something: use cases, caches, loops. Every other file of a room, but its furniture, is pure, and
 * stays so: a rule that begins to wait must be written down here, where a reviewer sees it.
 */
export const WAITING_FILES: { readonly [room: string]: readonly string[] } = {
	catalog: [
		"cache",
		"change-catalog",
		"find-entries",
		"find-shelf",
		"put-brands",
		"put-formulas",
		"put-products",
		"put-skus",
	],
	holds: ["list-holds", "show-hold", "sweep"],
	import: [
		"apply-world",
		"import-world",
		"read-existing",
		"read-world",
		"receive-lots",
		"write-catalog",
		"write-keys",
		"write-promised",
	],
	keys: [
		"authenticate",
		"key-cache",
		"list-keys",
		"load-key-ring",
		"look",
		"mint-key",
		"put-partners",
		"revoke-key",
		"rotate-key",
		"select-key",
		"shared-budget",
		"standing",
		"suspend-key",
	],
	ledger: ["explain", "verify"],
	orders: ["cancel-order", "combine-orders", "find-order", "label-gate", "list-shipments", "show-order", "take-out"],
	webhooks: ["list-events"],
	sandbox: ["advance-due-boxes", "advance-order", "first-start", "move-box", "restock-on-request", "restock-sandbox"],
	stock: ["clear-demand", "list-lots", "list-products", "promised", "reader", "set-buffers", "set-demand", "show-lot"],
};
