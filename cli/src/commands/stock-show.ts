import type { Command } from "commander";
import { callOperator, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { limitOption } from "../terminal/options.ts";
import { print, table } from "../terminal/output.ts";
import { LOT_HINT } from "./lot-name.ts";

/** Lots shown by default. */
const DEFAULT_LIMIT = 500;

interface ShowOptions extends JsonOption {
	readonly formula?: string;
	readonly brand?: string;
	readonly depleted?: true;
	readonly limit?: number;
}

export function addShow(group: Command): void {
	addCommand(group, "show", "list lots and the units in each of their buckets", "stock show --formula CALM-60")
		.argument("[lot]", "only this lot, by its id or batch number")
		.option("--formula <code>", "only lots of this formula")
		.option("--brand <code>", "only lots of this brand; shared: the shared stock")
		.option("--depleted", "include empty lots")
		.option(...limitOption(DEFAULT_LIMIT))
		.action(async (lot: string | undefined, options: ShowOptions) => {
			const { formula, brand, depleted, limit = DEFAULT_LIMIT } = options;
			const narrowed = { formula, brand_code: brand };
			if (lot === undefined) {
				const list = await listItems("list_lots", { ...narrowed, depleted: depleted ? undefined : false }, limit);
				print(list, options.json, () => lotTable(list));
			} else {
				const one = await callOperator("get_lot", { params: { fg_id: lot }, query: narrowed }, LOT_HINT);
				print(one, options.json, () => describeLot(one));
			}
		});
}

type LotList = Awaited<ReturnType<typeof listItems<"list_lots">>>;
type ShownLot = LotList["items"][number];

const expiryOf = ({ expires_on: day, in_date: inDate }: ShownLot): string =>
	day === null ? "never" : `${day}${inDate ? "" : " (past)"}`;

const brandOf = ({ brand_code: brand, sandbox_of: partner }: ShownLot): string =>
	partner === null ? (brand ?? "(shared)") : `${brand} of ${partner}`;

/** Describes a lot in full. */
const describeLot = (lot: ShownLot): string =>
	table(
		["", ""],
		[
			["lot", lot.fg_id],
			["formula", lot.formula],
			["brand", brandOf(lot)],
			["batch", `${lot.batch_number}${lot.recalled_at === null ? "" : " (recalled)"}`],
			["expires", expiryOf(lot)],
			["location", lot.location],
			["came in", lot.received + lot.corrected],
			...BUCKETS.map((bucket) => [bucket, lot[bucket]]),
		],
	).trimStart();
const BUCKETS = ["available", "held", "allocated", "quarantined", "consumed", "shipped", "destroyed"] as const;

function lotTable({ items: lots, next_cursor: more }: LotList): string {
	if (lots.length === 0) return "No lots.";
	const rows = lots.map((lot) => [
		lot.formula,
		brandOf(lot),
		`${lot.batch_number}${lot.recalled_at === null ? "" : " (recalled)"}`,
		expiryOf(lot),
		lot.received + lot.corrected,
		lot.available,
		lot.held,
		lot.allocated,
		lot.quarantined,
		lot.consumed + lot.shipped + lot.destroyed,
		lot.location,
	]);
	const headings = ["FORMULA", "BRAND", "BATCH", "EXPIRES", "CAME IN", "AVAILABLE", "HELD", "ALLOCATED"];
	const shown = table([...headings, "QUARANTINED", "GONE", "LOCATION"], rows);
	return more === null ? shown : `${shown}\n… and more: narrow it with --formula or --brand, or raise --limit.`;
}
