import { parseInstant } from "../../ground/lib/instant.ts";
import type { CancelledReport, OpenReport, ReportLine, ShippedReport } from "../demand/report.ts";
import type { PlatformBox } from "./label-platform.ts";

/** A report about a box, in the order in which the reports must be recorded. */
export type ForeignReport =
	| { readonly what: "open"; readonly report: OpenReport }
	| { readonly what: "shipped"; readonly report: ShippedReport }
	| { readonly what: "cancelled"; readonly report: CancelledReport };

/** Kits in a box that belong to none of these orders: they were sold by other stores. Pure. */
export function foreignLines({ items, otherItems }: PlatformBox, known: ReadonlySet<string>): ReportLine[] {
	const strangers = items.filter(({ orderId }) => !known.has(orderId)).map(({ sku, qty }) => ({ sku, qty }));
	return [...strangers, ...otherItems];
}

/**
 * The reports about a foreign box. Each box counts as an order, so a shipment that is split on the platform becomes two
 * orders. There are no reports if the box had its label before its store was followed: its goods count as gone. Pure.
 */
export function foreignReports(
	source: string,
	box: PlatformBox,
	lines: readonly ReportLine[],
	followedFromMs: number,
): ForeignReport[] {
	const { platformId: reference, store, stage } = box;
	const name = { source, reference };
	const modifiedAt = instantOf(box.modifiedAt);
	const hasPaper = stage === "label_created" || stage === "shipped";
	if (hasPaper && instantOf(box.labelCreatedAt ?? box.shippedAt ?? box.modifiedAt).getTime() < followedFromMs)
		return [];
	if (stage === "cancelled") return [{ what: "cancelled", report: { ...name, modifiedAt } }];
	const open: ForeignReport = { what: "open", report: { ...name, store, lines, modifiedAt } };
	if (stage !== "shipped") return [open];
	const shippedAt = instantOf(box.shippedAt ?? box.modifiedAt);
	return [open, { what: "shipped", report: { ...name, store, lines, shippedAt } }];
}

/** Parses a timestamp of the platform; an invalid one counts as long ago. */
const instantOf = (text: string): Date => new Date(parseInstant(text) ?? 0);
