import type { ReportedOrder } from "../src/inventory/demand/reported-order.ts";

/** An order before its first report. */
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
