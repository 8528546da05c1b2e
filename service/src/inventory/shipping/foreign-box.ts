import { parseInstant } from "../../ground/lib/instant.ts";
import type { CancelledReport, OpenReport, ReportLine, ShippedReport } from "../demand/report.ts";
import type { PlatformBox } from "./label-platform.ts";

/** What is to be reported of a box, to be noted in this order. */
export type ForeignReport =
	| { readonly what: "open"; readonly report: OpenReport }
	| { readonly what: "shipped"; readonly report: ShippedReport }
	| { readonly what: "cancelled"; readonly report: CancelledReport };

/**
 * Kits in a box that are of none of these orders: other stores sold them, and nobody told this service before. Pure.
 */
export function foreignLines({ items, otherItems }: PlatformBox, known: ReadonlySet<string>): ReportLine[] {
	const strangers = items.filter(({ orderId }) => !known.has(orderId)).map(({ sku, qty }) => ({ sku, qty }));
	return [...strangers, ...otherItems];
}

/**
 * What the box of another store's order says of it. The box is the order: whoever splits a shipment at the platform
 * makes two. Nothing, where the box had its label before anybody followed it: its goods count as gone. Pure.
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

/** Of a text that the platform wrote; one that is no time counts as long ago. */
const instantOf = (text: string): Date => new Date(parseInstant(text) ?? 0);
