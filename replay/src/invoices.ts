import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";

/** One row of the file. `quantity` is the requested number of the SKU; always > 0. */
export interface InvoiceLine {
	readonly code: string;
	readonly quantity: number;
}

/**
 * `cancellation`: a C invoice, goods or money back. `write_off`: negative quantities without a C, goods lost or given
 * away.
 */
export type InvoiceKind = "sale" | "cancellation" | "write_off";

export interface Invoice {
	readonly number: string;
	readonly kind: InvoiceKind;
	/** As in the file: `YYYY-MM-DDTHH:MM`. */
	readonly at: string;
	/** Empty when the file names none. */
	readonly customer: string;
	readonly country: string;
	readonly lines: InvoiceLine[];
}

export interface Demand {
	/** In time order. */
	readonly invoices: Invoice[];
	/** Every stock code with all its descriptions, most frequent first. */
	readonly descriptions: Map<string, string[]>;
	/** Number of rows. */
	readonly rows: number;
}

interface Row {
	InvoiceNo: string;
	StockCode: string;
	Description: string;
	Quantity: string;
	InvoiceDate: string;
	CustomerID: string;
	Country: string;
}

const COLUMNS = ["InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "CustomerID", "Country"];

/** Reads the rows of a gzipped CSV with the seven columns of the README. Throws an Error that names what is missing. */
export function readRows(file: string): Row[] {
	const rows = parse(unpacked(file), { columns: true, bom: true, skip_empty_lines: true }) as Row[];
	const missing = COLUMNS.filter((column) => rows[0]?.[column as keyof Row] === undefined);
	if (missing.length > 0) throw new Error(`${file}: no rows, or no column ${missing.join(", ")}`);
	return rows;
}

function unpacked(file: string): Buffer {
	try {
		return gunzipSync(readFileSync(file));
	} catch (error) {
		throw new Error(`${file} cannot be read as gzipped CSV: ${(error as Error).message}`, { cause: error });
	}
}

const kindOf = (number: string, quantity: number): InvoiceKind =>
	number.startsWith("C") ? "cancellation" : quantity < 0 ? "write_off" : "sale";

/**
 * Groups rows into invoices, in time order, at most `limit` of them. An invoice with both sales and write-offs becomes
 * two. Rows that move nothing (quantity 0, or a positive one on a C invoice) are left out.
 */
export function toDemand(rows: readonly Row[], limit = Number.POSITIVE_INFINITY): Demand {
	const invoices = new Map<string, Invoice>();
	const seen = new Map<string, Map<string, number>>();
	let read = 0;
	for (const row of rows) {
		const quantity = Number(row.Quantity);
		if (!Number.isSafeInteger(quantity)) throw new Error(`invoice ${row.InvoiceNo}: quantity "${row.Quantity}"`);
		const kind = kindOf(row.InvoiceNo, quantity);
		if (quantity === 0 || (kind === "cancellation" && quantity > 0)) continue;
		const key = `${kind}:${row.InvoiceNo}`;
		let invoice = invoices.get(key);
		if (invoice === undefined) {
			if (invoices.size >= limit) continue;
			const { InvoiceNo: number, InvoiceDate: at, CustomerID: customer, Country: country } = row;
			invoice = { number, kind, at, customer, country, lines: [] };
			invoices.set(key, invoice);
		}
		read += 1;
		invoice.lines.push({ code: row.StockCode, quantity: Math.abs(quantity) });
		count(seen, row.StockCode, row.Description.trim());
	}
	const byTime = [...invoices.values()].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
	const descriptions = new Map([...seen].map(([code, texts]) => [code, mostFrequentFirst(texts)] as const));
	return { invoices: byTime, descriptions, rows: read };
}

function count(seen: Map<string, Map<string, number>>, code: string, text: string): void {
	const texts = seen.get(code) ?? new Map<string, number>();
	seen.set(code, texts);
	if (text !== "") texts.set(text, (texts.get(text) ?? 0) + 1);
}

const mostFrequentFirst = (texts: Map<string, number>): string[] =>
	[...texts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([text]) => text);
