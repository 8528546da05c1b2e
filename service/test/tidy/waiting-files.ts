/**
 * The files of each room that wait for something: use cases, caches, loops. Every other file of a room, but its furniture, is pure, and
 * stays so: a rule that begins to wait must be written down here, where a reviewer sees it.
 */
export const WAITING_FILES: { readonly [room: string]: readonly string[] } = {
	catalog: ["cache"],
	holds: ["sweep", "take-out"],
	import: [
		"apply-world",
		"clear-demand",
		"import-world",
		"read-existing",
		"read-world",
		"receive-lots",
		"write-catalog",
		"write-keys",
	],
	keys: [
		"authenticate",
		"key-cache",
		"list-keys",
		"load-key-ring",
		"look",
		"mint-key",
		"revoke-key",
		"rotate-key",
		"select-key",
		"shared-budget",
		"standing",
		"suspend-key",
	],
	ledger: ["explain", "verify"],
	sandbox: ["first-start", "restock-sandbox"],
	stock: ["list-products", "promised", "reader"],
};
