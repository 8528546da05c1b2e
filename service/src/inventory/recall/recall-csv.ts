import { spreadsheetCsv } from "../certificates/spreadsheet-csv.ts";

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

type Row = { readonly [column in Exclude<(typeof COLUMNS)[number], "batch_numbers">]?: string | number | null } & {
	readonly batch_numbers?: readonly string[];
};

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
	return spreadsheetCsv(
		COLUMNS,
		rows.map(({ batch_numbers, ...row }) => ({ ...row, batch_numbers: batch_numbers?.join(" ") })),
	);
}
