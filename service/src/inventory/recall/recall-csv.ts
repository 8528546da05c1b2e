const COLUMNS = [
	"list",
	"partner",
	"key",
	"key_name",
	"order_id",
	"ref",
	"external_order_id",
	"external_ref",
	"reservation_token",
	"units",
	"shipped_units",
	"batch_numbers",
	"at",
	"carrier_code",
	"tracking_number",
	"customer",
	"email",
	"phone",
	"city",
	"country",
	"picked_anew_at",
] as const;

type Cell = string | number | null;
type Row = { readonly [column in (typeof COLUMNS)[number]]?: Cell | readonly string[] };

type Listed<More> = readonly (Row & More)[];
/** The lists of a recall, as in its reply. */
interface RecallLists {
	readonly shipped_orders: Listed<{ readonly units: number; readonly shipped_at: string }>;
	readonly consumed: Listed<{ readonly consumed_at: string }>;
	readonly shipped_elsewhere: Listed<{ readonly reference: string }>;
	readonly impaired_holds: Listed<{ readonly expires_at: string }>;
	readonly held_orders: Listed<{ readonly placed_at: string }>;
	readonly packed_orders: Listed<{ readonly picked_at: string | null }>;
}

/** All lists of a recall as one table for a spreadsheet; its column `list` names the list of each row. */
export function recallCsv(lists: RecallLists): string {
	const rows: Row[] = [
		...lists.packed_orders.map((one) => ({ list: "packed_order", ...one, at: one.picked_at })),
		...lists.shipped_orders.map((one) => ({
			list: "shipped",
			...one,
			at: one.shipped_at,
			shipped_units: one.units,
		})),
		...lists.consumed.map((one) => ({ list: "consumed", ...one, at: one.consumed_at })),
		...lists.shipped_elsewhere.map(({ reference, ...one }) => ({
			list: "shipped_elsewhere",
			external_ref: reference,
			...one,
		})),
		...lists.impaired_holds.map((one) => ({ list: "impaired_hold", ...one, at: one.expires_at })),
		...lists.held_orders.map((one) => ({ list: "held_order", ...one, at: one.placed_at })),
	];
	return toCsv(
		COLUMNS,
		rows.map((row) => COLUMNS.map((column) => textOf(row[column]))),
	);
}

const textOf = (value: Cell | readonly string[] | undefined): Cell =>
	value === undefined || value === null || typeof value === "string" || typeof value === "number"
		? (value ?? null)
		: value.join(" ");

/** A cell that a spreadsheet would evaluate as a formula (settlements, section 8). */
const FORMULA = /^[=+\-@\t\r\n]/;

/** Formats rows and their headings as CSV for spreadsheets: RFC 4180, CRLF. */
export const toCsv = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string =>
	[headings, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");

function cell(value: Cell): string {
	if (value === null) return "";
	if (typeof value === "number") return String(value);
	const text = FORMULA.test(value) ? `'${value}` : value;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
