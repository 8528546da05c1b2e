import { type CancelledReport, kitsBySku, type OpenReport, type ShippedReport } from "./report.ts";

/** One SKU of a reported order. All quantities in kits. */
export interface ReportedLine {
	readonly sku: string;
	/** What the order asks for in all; 0 once it is cancelled. */
	readonly orderedQty: number;
	/** What was shipped so far, over all shipments. */
	readonly shippedQty: number;
	/** Of the shipped: drawn down, or noted as short or as resolved by hand. */
	readonly settledQty: number;
}

/**
 * An order that did not come through this service, as its platform last reported it. What reports do to it commutes:
 * shipped quantities only grow, and of what else is said the latest holds. So reports may come late, twice and in any
 * order.
 */
export interface ReportedOrder {
	/** With its source, as demand and the ledger name it. */
	readonly reference: string;
	readonly source: string;
	readonly store: string | null;
	/**
	 * The platform's time of the open report that named the store, epoch milliseconds; null: a shipment did, or nobody.
	 */
	readonly storeAt: number | null;
	readonly status: "open" | "cancelled";
	/**
	 * The platform's time of what is said of status and ordered quantities, epoch milliseconds; null: nothing was said.
	 */
	readonly modifiedAt: number | null;
	/** The platform's time of the last shipment, epoch milliseconds. */
	readonly shippedAt: number | null;
	/** By SKU, those without a quantity left out. */
	readonly lines: readonly ReportedLine[];
}

/** Nobody has said anything of the order yet. */
export const unreported = (source: string, reference: string): ReportedOrder => ({
	source,
	reference,
	store: null,
	storeAt: null,
	status: "open",
	modifiedAt: null,
	shippedAt: null,
	lines: [],
});

/** The order after the report; the very same object when the report says nothing new. */
export function withOpen(order: ReportedOrder, { store, lines, modifiedAt }: OpenReport): ReportedOrder {
	const namesStore = store !== null && (order.storeAt === null || modifiedAt.getTime() >= order.storeAt);
	const named = namesStore ? { ...order, store, storeAt: modifiedAt.getTime() } : order;
	// also of an order that was cancelled since: what was shipped of it is drawn from that store's stock
	if (isOlder(order, modifiedAt, "open")) return changed(order, named);
	const ordered = kitsBySku(lines);
	return changed(order, {
		...named,
		status: "open",
		modifiedAt: modifiedAt.getTime(),
		lines: merge(order, ordered, (line, sku) => ({ ...line, orderedQty: ordered.get(sku) ?? 0 })),
	});
}

/** As `withOpen`. What was shipped of a SKU is the most that any report said. */
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

/** As `withOpen`. What was shipped stays shipped. */
export function withCancelled(order: ReportedOrder, { modifiedAt }: CancelledReport): ReportedOrder {
	if (isOlder(order, modifiedAt, "cancelled")) return order;
	return changed(order, {
		...order,
		status: "cancelled",
		modifiedAt: modifiedAt.getTime(),
		lines: merge(order, new Map(), (line) => ({ ...line, orderedQty: 0 })),
	});
}

/** As `withCancelled`, at the time of the last report: nobody knows when it went. */
export const withGone = (order: ReportedOrder): ReportedOrder =>
	withCancelled(order, { ...order, modifiedAt: new Date(order.modifiedAt ?? 0) });

/** At one and the same instant a cancellation holds against an open order. */
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

/** The order of an order's lines. */
export const bySku = (a: ReportedLine, b: ReportedLine): number => (a.sku < b.sku ? -1 : 1);

const changed = (before: ReportedOrder, after: ReportedOrder): ReportedOrder =>
	JSON.stringify(before) === JSON.stringify(after) ? before : after;
