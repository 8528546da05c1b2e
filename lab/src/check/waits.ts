import type { Exchange } from "../history.ts";
import type { Case } from "./case.ts";

/** The longest time a request waited for its answer while no fault touched any of its SKUs. */
export interface LongestWait {
	readonly ms: number;
	readonly what: string;
	readonly at: number;
}

/** Milliseconds after a fault for which its queues may still have effects. */
const AFTERMATH_MS = 1_000;

export function longestWait(on: Case): LongestWait | null {
	let longest: Exchange | null = null;
	for (const exchange of on.exchanges) {
		if (exchange.status === null) continue;
		if (longest !== null && exchange.end - exchange.start <= longest.end - longest.start) continue;
		if (!touched(on, exchange)) longest = exchange;
	}
	if (longest === null) return null;
	const skus = skusOf(longest).join(", ");
	const what = skus === "" ? longest.op : `${longest.op} of ${skus}`;
	return { ms: longest.end - longest.start, what, at: longest.start };
}

/**
 * Whether a fault may have touched this request: from the fault's first moment until `aftermathMs` after the ground was
 * healthy again.
 */
export function touched(on: Case, exchange: Exchange, aftermathMs = AFTERMATH_MS): boolean {
	const skus = skusOf(exchange);
	// a release or consume names no SKU, so any locked row may be its own
	return on.faults.some(
		({ began, ended, touched: hit }) =>
			began <= exchange.end &&
			exchange.start <= ended + aftermathMs &&
			(hit === "all" || (hit.length > 0 && (skus.length === 0 || hit.some((sku) => skus.includes(sku))))),
	);
}

function skusOf({ body, path }: Exchange): string[] {
	const { items } = (body ?? {}) as { items?: { sku: string }[] };
	if (items) return items.map(({ sku }) => sku);
	const sku = new URLSearchParams(path.split("?")[1]).get("sku");
	return sku === null ? [] : [sku];
}
