import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { MAX_KITS, MAX_NAME_OF_LINE_LENGTH, MAX_REFERENCE_LENGTH, MAX_REPORT_LINES } from "./limits.ts";

/** Kits of a SKU, as a label platform names it. */
export interface ReportLine {
	readonly sku: string;
	/** Kits. */
	readonly qty: number;
}

/** Which order a report is about. */
export interface OrderName {
	/**
	 * Who reports it, such as `shipstation`: small letters, digits, `_` and `-`. Named in the ledger as
	 * `system:<source>`.
	 */
	readonly source: string;
	/**
	 * The order's reference there. Where a platform knows boxes rather than orders, each box is an order of its own.
	 */
	readonly reference: string;
}

/** An order stands open at the platform: what it asks for in all, shipped lines included. */
export interface OpenReport extends OrderName {
	/** The platform's name of the store that sold it; null: it does not say. */
	readonly store: string | null;
	readonly lines: readonly ReportLine[];
	/** The platform's time of the order's last change: of two reports the later one holds. */
	readonly modifiedAt: Date;
}

/** Units of an order left the house. */
export interface ShippedReport extends OrderName {
	/** The store, where the platform says it; null: as the report of the open order said. */
	readonly store: string | null;
	/** What was shipped of the order so far, over all of its shipments: never only what the last of them had. */
	readonly lines: readonly ReportLine[];
	readonly shippedAt: Date;
}

/** Nothing more of the order will be shipped. */
export interface CancelledReport extends OrderName {
	/** As in `OpenReport`. */
	readonly modifiedAt: Date;
}

/** The name of an order in demand, in the ledger and in exceptions. */
export const fullReference = ({ source, reference }: OrderName): string => `${source}:${reference}`;

const SOURCE = /^[a-z][a-z0-9_-]{0,39}$/;
/** What is wrong with a report, as a refusal of it; null: nothing. Lines of 0 kits are no mistake: they say nothing. */
export function wrongReport(
	{ source, reference }: OrderName,
	lines: readonly ReportLine[],
	store: string | null,
): Refusal<"invalid_input"> | null {
	const wrong = (message: string) => refuse("invalid_input", message);
	if (!SOURCE.test(source))
		return wrong(
			`The source ${JSON.stringify(source)} must be 1 to 40 small letters, digits, _ and -, a letter first.`,
		);
	if (!isStorableText(reference, MAX_REFERENCE_LENGTH))
		return wrong(`The reference must be a text of 1 to ${MAX_REFERENCE_LENGTH} characters.`);
	if (store !== null && !isStorableText(store, MAX_NAME_OF_LINE_LENGTH))
		return wrong(`The store must be a text of 1 to ${MAX_NAME_OF_LINE_LENGTH} characters.`);
	if (lines.length > MAX_REPORT_LINES) return wrong(`An order has ${MAX_REPORT_LINES} lines at most.`);
	for (const { sku, qty } of lines) {
		if (!isStorableText(sku, MAX_NAME_OF_LINE_LENGTH))
			return wrong(`A SKU must be a text of 1 to ${MAX_NAME_OF_LINE_LENGTH} characters.`);
		if (!Number.isInteger(qty) || qty < 0)
			return wrong(`The quantity of ${JSON.stringify(sku)} must be a whole number of kits, not ${qty}.`);
	}
	const most = [...kitsBySku(lines)].find(([, kits]) => kits > MAX_KITS);
	return most === undefined
		? null
		: wrong(`${most[1]} of ${JSON.stringify(most[0])}: an order has ${MAX_KITS} at most.`);
}

/** Can it be stored, and is it neither empty nor too long? */
export const isStorableText = (text: string, most: number): boolean =>
	text.length > 0 && text.length <= most && text.isWellFormed() && !text.includes("\0");

/** Kits by SKU: several lines of one SKU are one. */
export function kitsBySku(lines: readonly ReportLine[]): Map<string, number> {
	const kits = new Map<string, number>();
	for (const { sku, qty } of lines) if (qty > 0) kits.set(sku, (kits.get(sku) ?? 0) + qty);
	return kits;
}
