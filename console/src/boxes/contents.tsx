import type { ReactNode } from "react";
import { words } from "../words/words.ts";

interface Packed {
	readonly sku: string;
	readonly qty: number;
}

/** Kits by SKU, over all orders and lines of a box, in the order of the box. */
export function kitsBySku(items: readonly Packed[]): readonly Packed[] {
	const kits = new Map<string, number>();
	for (const { sku, qty } of items) kits.set(sku, (kits.get(sku) ?? 0) + qty);
	return [...kits].map(([sku, qty]) => ({ sku, qty }));
}

/** What is in a box, in one line. */
export const contentsText = (items: readonly Packed[]): string =>
	kitsBySku(items)
		.map(({ sku, qty }) => `${qty} × ${sku}`)
		.join(", ") || words.pack.nothing;

export const ContentsText = ({ items }: { items: readonly Packed[] }): ReactNode => contentsText(items);
