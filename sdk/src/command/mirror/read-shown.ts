import { rowsOf } from "./csv.ts";

/** What a site shows for a SKU. */
export interface Shown {
	readonly sku: string;
	/** Null: no number, which never counts as 0. */
	readonly shownQty: number | null;
	readonly hidden: boolean;
	/** The certificate that it links to; null: none; undefined: it does not say. */
	readonly coaUrl: string | null | undefined;
}

/** What a site shows, or every reason why it cannot be read. */
export type ReadShown = { readonly items: readonly Shown[] } | { readonly problems: readonly string[] };

/** Reads a status document (guide: going live), or a CSV with the columns `sku` and `shown_qty` or `qty`. */
export function readShown(text: string): ReadShown {
	return /^\uFEFF?\s*[[{]/.test(text) ? readDocument(text) : readCsv(text);
}

function readDocument(text: string): ReadShown {
	let document: unknown;
	try {
		document = JSON.parse(text.replace(/^\uFEFF/, ""));
	} catch (error) {
		return { problems: [`It is not JSON: ${(error as Error).message}.`] };
	}
	const { items } = (document ?? {}) as { readonly items?: unknown };
	if (!Array.isArray(items)) return { problems: ["/items: expected an array."] };
	return allOf(items.map((item, at) => itemOf(item, `/items/${at}`)));
}

function itemOf(item: unknown, at: string): Shown | string {
	const { sku, shown_qty: qty = null, hidden = false, coa_url: coaUrl } = (item ?? {}) as Record<string, unknown>;
	if (typeof sku !== "string" || sku === "") return `${at}/sku: expected a text.`;
	if (qty !== null && !isQty(qty)) return `${at}/shown_qty: expected a whole number, or null.`;
	if (typeof hidden !== "boolean") return `${at}/hidden: expected true or false.`;
	if (coaUrl !== undefined && coaUrl !== null && typeof coaUrl !== "string") {
		return `${at}/coa_url: expected an address, or null.`;
	}
	return { sku, shownQty: qty, hidden, coaUrl: coaUrl === "" ? null : coaUrl };
}

const isQty = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readCsv(text: string): ReadShown {
	try {
		const [head, ...rows] = rowsOf(text);
		const names = (head?.cells ?? []).map((name) => name.trim().toLowerCase());
		const [sku, qty, hidden] = [
			names.indexOf("sku"),
			names.includes("shown_qty") ? names.indexOf("shown_qty") : names.indexOf("qty"),
			names.indexOf("hidden"),
		];
		if (sku === -1 || qty === -1) return { problems: ["line 1: expected the columns sku and shown_qty (or qty)."] };
		return allOf(
			rows.map(({ line, cells }) =>
				rowOf(line, ...([sku, qty, hidden].map((at) => (cells[at] ?? "").trim()) as [string, string, string])),
			),
		);
	} catch (error) {
		if (error instanceof SyntaxError) return { problems: [`${error.message}.`] };
		throw error;
	}
}

function rowOf(line: number, sku: string, qty: string, hidden: string): Shown | string {
	if (sku === "") return `line ${line}, sku: it is empty.`;
	if (!/^\d{0,15}$/.test(qty))
		return `line ${line}, quantity: "${qty}" is not a whole number; leave it empty where none is shown.`;
	if (!/^(?:true|false|)$/i.test(hidden)) return `line ${line}, hidden: expected true or false.`;
	return {
		sku,
		shownQty: qty === "" ? null : Number(qty),
		hidden: hidden.toLowerCase() === "true",
		coaUrl: undefined,
	};
}

function allOf(read: readonly (Shown | string)[]): ReadShown {
	const problems = read.filter((one) => typeof one === "string");
	if (problems.length > 0) return { problems };
	if (read.length === 0) return { problems: ["It lists no SKU, so there is nothing to compare."] };
	return { items: read as readonly Shown[] };
}
