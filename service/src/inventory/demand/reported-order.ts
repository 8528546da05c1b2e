import { type CancelledReport, kitsBySku, type OpenReport, type ShippedReport } from "./report.ts";

/** One SKU of a reported order. All quantities in kits. */
export interface ReportedLine {
	readonly sku: string;
	/** Total ordered; 0 once cancelled. */
	readonly orderedQty: number;
	/** Total shipped so far over all shipments. */
	readonly shippedQty: number;
	/** Of the shipped kits, those drawn down, recorded as short or resolved by hand. */
	readonly settledQty: number;
}

/**
 * An order that did not come through this service, as its platform last reported it. Reports commute: shipped
 * quantities only grow, and for everything else the latest report wins. So reports may come late, twice and in any
 * order.
 */
export interface ReportedOrder {
	/** Includes the source, as in demand and in the ledger. */
	readonly reference: string;
	readonly source: string;
	readonly store: string | null;
	/** The platform's time of the open report that named the store, in epoch milliseconds; null if none did. */
	readonly storeAt: number | null;
	readonly status: "open" | "cancelled";
	/** The platform's time of status and ordered quantities, in epoch milliseconds; null: none yet. */
	readonly modifiedAt: number | null;
	/** The platform's time of the last shipment, in epoch milliseconds. */
	readonly shippedAt: number | null;
	/** By SKU; lines whose quantities are all 0 are left out. */
	readonly lines: readonly ReportedLine[];
}

/** The order after an open report; the same object if the report adds nothing. */
export function withOpen(order: ReportedOrder, { store, lines, modifiedAt }: OpenReport): ReportedOrder {
	const namesStore = store !== null && (order.storeAt === null || modifiedAt.getTime() >= order.storeAt);
	const named = namesStore ? { ...order, store, storeAt: modifiedAt.getTime() } : order;
	// applies to a cancelled order, too: its shipped units are drawn from this store's stock
	if (isOlder(order, modifiedAt, "open")) return changed(order, named);
	const ordered = kitsBySku(lines);
	return changed(order, {
		...named,
		status: "open",
		modifiedAt: modifiedAt.getTime(),
		lines: merge(order, ordered, (line, sku) => ({ ...line, orderedQty: ordered.get(sku) ?? 0 })),
	});
}

/** The order after a shipment report. A SKU's shipped quantity is the highest reported. */
export function withShipped(order: ReportedOrder, { store, lines, shippedAt }: ShippedReport): ReportedOrder {
	const shipped = kitsBySku(lines);
	return changed(order, {
		...order,
		store: order.store ?? store,
		shippedAt: Math.max(order.shippedAt ?? Number.NEGATIVE_INFINITY, shippedAt.getTime()),
		lines: merge(order, shipped, (line, sku) => ({
			...line,
			shippedQty: Math.max(line.shippedQty, shipped.get(sku) ?? 0),
		})),
	});
}

/** The order after a cancellation. Shipped quantities stay. */
export function withCancelled(order: ReportedOrder, { modifiedAt }: CancelledReport): ReportedOrder {
	if (isOlder(order, modifiedAt, "cancelled")) return order;
	return changed(order, {
		...order,
		status: "cancelled",
		modifiedAt: modifiedAt.getTime(),
		lines: merge(order, new Map(), (line) => ({ ...line, orderedQty: 0 })),
	});
}

/** The order after the platform no longer has it: cancelled as of its last report, because the real time is unknown. */
export const withGone = (order: ReportedOrder): ReportedOrder =>
	withCancelled(order, { ...order, modifiedAt: new Date(order.modifiedAt ?? 0) });

/** Of two reports with the same time, a cancellation wins over an open order. */
const isOlder = (order: ReportedOrder, modifiedAt: Date, status: ReportedOrder["status"]): boolean =>
	order.modifiedAt !== null &&
	(modifiedAt.getTime() < order.modifiedAt ||
		(modifiedAt.getTime() === order.modifiedAt && status === "open" && order.status === "cancelled"));

function merge(
	order: ReportedOrder,
	named: ReadonlyMap<string, number>,
	change: (line: ReportedLine, sku: string) => ReportedLine,
): ReportedLine[] {
	const lines = new Map(order.lines.map((line) => [line.sku, line]));
	for (const sku of named.keys()) {
		if (!lines.has(sku)) lines.set(sku, { sku, orderedQty: 0, shippedQty: 0, settledQty: 0 });
	}
	return [...lines.values()]
		.map((line) => change(line, line.sku))
		.filter(({ orderedQty, shippedQty }) => orderedQty > 0 || shippedQty > 0)
		.sort(bySku);
}

export const bySku = (a: ReportedLine, b: ReportedLine): number => (a.sku < b.sku ? -1 : 1);

const changed = (before: ReportedOrder, after: ReportedOrder): ReportedOrder =>
	JSON.stringify(before) === JSON.stringify(after) ? before : after;
