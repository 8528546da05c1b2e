import { listAt, memberAt } from "./content.ts";
import type { ShownItem } from "./facts.ts";
import { MAX_ADDRESS, MAX_SHOWN, MAX_SKU, MOST_ITEMS } from "./limits.ts";

/** What a partner shows, or why that cannot be read. */
export type ReadShown = { readonly items: readonly ShownItem[] } | { readonly problem: string };

const OK = 200;

/** Reads the document of a status address (operator contract, section 6). Members that we do not know are ignored. */
export function readShown(status: number, text: string): ReadShown {
	if (status !== OK) return { problem: `the status address answered ${status}, and ${OK} was expected` };
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		return { problem: "the answer is not JSON, or longer than 64 KiB" };
	}
	if (!Array.isArray(memberAt(json, "items"))) return { problem: "/items: expected an array" };
	const items = listAt(json, "items");
	if (items.length > MOST_ITEMS) return { problem: `/items: expected at most ${MOST_ITEMS} items` };
	const read: ShownItem[] = [];
	for (const [index, given] of items.entries()) {
		const item = itemOf(given);
		if (typeof item === "string") return { problem: `/items/${index}${item}` };
		read.push(item);
	}
	return { items: read };
}

/** An item, or what is wrong with it. */
function itemOf(item: unknown): ShownItem | string {
	const [sku, qty, hidden, url] = ["sku", "shown_qty", "hidden", "coa_url"].map((name) => memberAt(item, name));
	if (!isText(sku, MAX_SKU)) return `/sku: expected a text of 1 to ${MAX_SKU} characters`;
	const isCount = typeof qty === "number" && Number.isInteger(qty) && qty >= 0 && qty <= MAX_SHOWN;
	if (qty !== undefined && qty !== null && !isCount) return "/shown_qty: expected a whole number, or null";
	if (hidden !== undefined && typeof hidden !== "boolean") return "/hidden: expected true or false";
	if (url !== undefined && url !== null && url !== "" && !isText(url, MAX_ADDRESS))
		return `/coa_url: expected an address of at most ${MAX_ADDRESS} characters, or null`;
	return {
		sku,
		shownQty: isCount ? qty : null,
		hidden: hidden === true,
		coaUrl: typeof url === "string" && url !== "" ? url : null,
	};
}

const isText = (value: unknown, most: number): value is string =>
	typeof value === "string" && value !== "" && value.length <= most && value.isWellFormed() && !value.includes("\0");
