import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { MAX_KITS, MAX_NAME_OF_LINE_LENGTH, MAX_REFERENCE_LENGTH, MAX_REPORT_LINES } from "./limits.ts";

export interface ReportLine {
	readonly sku: string;
	readonly qty: number;
}

export interface OrderName {
	/** The platform: small letters, digits, `_` and `-`. The ledger names it as `system:<source>`. */
	readonly source: string;
	/** The order's reference on the platform. If a platform knows boxes rather than orders, each box is an order. */
	readonly reference: string;
}

/** The order is open on the platform. Lines state the total ordered, including what has shipped. */
export interface OpenReport extends OrderName {
	/** The platform's name of the store that sold it; null: not stated. */
	readonly store: string | null;
	readonly lines: readonly ReportLine[];
	/** The platform's time of the order's last change; the later of two reports wins. */
	readonly modifiedAt: Date;
}

/** Some of the order has shipped. */
export interface ShippedReport extends OrderName {
	/** The store if the platform names it; null: as in the report of the open order. */
	readonly store: string | null;
	/** The total shipped so far over all shipments, never only the latest shipment. */
	readonly lines: readonly ReportLine[];
	readonly shippedAt: Date;
}

/** The order is cancelled: nothing more of it will be shipped. */
export interface CancelledReport extends OrderName {
	/** As in `OpenReport`. */
	readonly modifiedAt: Date;
}

/** The name of an order in demand, in the ledger and in exceptions. */
export const fullReference = ({ source, reference }: OrderName): string => `${source}:${reference}`;

const SOURCE = /^[a-z][a-z0-9_-]{0,39}$/;
/** A refusal of an invalid report, or null. Lines of 0 kits are valid and ignored. */
export function wrongReport(
	{ source, reference }: OrderName,
	lines: readonly ReportLine[],
	store: string | null,
): Refusal<"invalid_input"> | null {
	const wrong = (message: string) => refuse("invalid_input", message);
	if (!SOURCE.test(source))
		return wrong(
			`The source ${JSON.stringify(source)} must be 1 to 40 lower-case letters, digits, _ and -, and begin with a letter.`,
		);
	if (!isStorableText(reference, MAX_REFERENCE_LENGTH))
		return wrong(`The reference must be a text of 1 to ${MAX_REFERENCE_LENGTH} characters.`);
	if (store !== null && !isStorableText(store, MAX_NAME_OF_LINE_LENGTH))
		return wrong(`The store must be a text of 1 to ${MAX_NAME_OF_LINE_LENGTH} characters.`);
	if (lines.length > MAX_REPORT_LINES) return wrong(`An order has at most ${MAX_REPORT_LINES} lines.`);
	for (const { sku, qty } of lines) {
		if (!isStorableText(sku, MAX_NAME_OF_LINE_LENGTH))
			return wrong(`A SKU must be a text of 1 to ${MAX_NAME_OF_LINE_LENGTH} characters.`);
		if (!Number.isInteger(qty) || qty < 0)
			return wrong(`The quantity of ${JSON.stringify(sku)} must be a whole number of kits, not ${qty}.`);
	}
	const most = [...kitsBySku(lines)].find(([, kits]) => kits > MAX_KITS);
	return most === undefined
		? null
		: wrong(`${most[1]} of ${JSON.stringify(most[0])}: an order has at most ${MAX_KITS}.`);
}

/** Whether PostgreSQL can store the text and its length is 1 to `most`. */
export const isStorableText = (text: string, most: number): boolean =>
	text.length > 0 && text.length <= most && text.isWellFormed() && !text.includes("\0");

/** Kits by SKU; several lines of one SKU are added up. */
export function kitsBySku(lines: readonly ReportLine[]): Map<string, number> {
	const kits = new Map<string, number>();
	for (const { sku, qty } of lines) if (qty > 0) kits.set(sku, (kits.get(sku) ?? 0) + qty);
	return kits;
}
