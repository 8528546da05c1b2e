import type { Command } from "commander";
import { callOperator, type ItemOf, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { limitOption } from "../terminal/options.ts";
import { factTable, listed, print, tableOf } from "../terminal/output.ts";
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
				print(list, options.json, () => listed(list, "No lots.", "--formula or --brand", lotTable));
			} else {
				const one = await callOperator("get_lot", { params: { fg_id: lot }, query: narrowed }, LOT_HINT);
				print(one, options.json, () => describeLot(one));
			}
		});
}

type ShownLot = ItemOf<"list_lots">;

const expiryOf = ({ expires_on: day, in_date: inDate }: ShownLot): string =>
	day === null ? "never" : `${day}${inDate ? "" : " (past)"}`;

const brandOf = ({ brand_code: brand, sandbox_of: partner }: ShownLot): string =>
	partner === null ? (brand ?? "(shared)") : `${brand} of ${partner}`;

const batchOf = ({ batch_number: batch, recalled_at: recalled }: ShownLot): string =>
	`${batch}${recalled === null ? "" : " (recalled)"}`;

const cameIn = ({ received, corrected }: ShownLot): number => received + corrected;

/** Describes a lot in full. */
const describeLot = (lot: ShownLot): string =>
	factTable([
		["lot", lot.fg_id],
		["formula", lot.formula],
		["brand", brandOf(lot)],
		["batch", batchOf(lot)],
		["expires", expiryOf(lot)],
		["location", lot.location],
		["came in", cameIn(lot)],
		...BUCKETS.map((bucket) => [bucket, lot[bucket]] as const),
	]);
const BUCKETS = ["available", "held", "allocated", "quarantined", "consumed", "shipped", "destroyed"] as const;

const lotTable = (lots: readonly ShownLot[]): string =>
	tableOf(lots, {
		FORMULA: "formula",
		BRAND: brandOf,
		BATCH: batchOf,
		EXPIRES: expiryOf,
		"CAME IN": cameIn,
		AVAILABLE: "available",
		HELD: "held",
		ALLOCATED: "allocated",
		QUARANTINED: "quarantined",
		GONE: (lot) => lot.consumed + lot.shipped + lot.destroyed,
		LOCATION: "location",
	});
