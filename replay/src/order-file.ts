import type { Partner } from "./partner.ts";
import type { Line } from "./split.ts";

/** What the replay itself has done with an order, according to the answers to its own requests and commands. */
export interface OrderFile {
	readonly orderId: string;
	/** The reservation token of its hold. */
	readonly token: string;
	/** The Idempotency-Key. */
	readonly ref: string;
	readonly partner: Partner;
	readonly brand: string | null;
	readonly lines: readonly Line[];
	cancelled: boolean;
	picked: boolean;
	/** How often the operator released it, whoever had put it on hold. */
	releases: number;
	/** Boxes that have left and were not voided, each with its kits by SKU. */
	readonly boxes: Map<string, ReadonlyMap<string, number>>;
}

/** Kits by SKU in an order's lines. */
export function kitsOf(lines: readonly Line[]): Map<string, number> {
	const kits = new Map<string, number>();
	for (const { sku, qty } of lines) kits.set(sku, (kits.get(sku) ?? 0) + qty);
	return kits;
}

/** Kits by SKU in the boxes that have left. */
export function kitsShipped({ boxes }: Pick<OrderFile, "boxes">): Map<string, number> {
	return kitsOf([...boxes.values()].flatMap((kits) => [...kits].map(([sku, qty]) => ({ sku, qty }))));
}

/** Kits by SKU that remain to be shipped. */
export function kitsLeft(file: Pick<OrderFile, "lines" | "boxes">): Map<string, number> {
	const shipped = kitsShipped(file);
	const left = [...kitsOf(file.lines)].map(([sku, qty]) => [sku, qty - (shipped.get(sku) ?? 0)] as const);
	return new Map(left.filter(([, qty]) => qty > 0));
}
