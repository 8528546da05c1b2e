import { type Command, Option } from "commander";
import { wallClock } from "../../../service/src/ground/lib/clock.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { recallCsv } from "../../../service/src/inventory/recall/recall-csv.ts";
import { callToEnd } from "../client/follow-run.ts";
import type { CallOperator, DataOfCall } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { uuid } from "../terminal/options.ts";
import { plural, print, shorten, tableOf } from "../terminal/output.ts";
import { nameOfOrder } from "./order-name.ts";

interface Options extends JsonOption {
	readonly batch?: string;
	readonly formula?: string;
	readonly reason: string;
	readonly dryRun?: true;
	readonly csv?: true;
}

/** Milliseconds by which the clocks of this machine and of the database may differ. */
const CLOCKS_DIFFER_MS = 60_000;
/** Maximum number of rows of each list in human-readable output. */
const MAX_ROWS = 50;

export function addRecall(group: Command): void {
	addCommand(
		group,
		"recall",
		"recall a lot, or a batch number in every pool: its units are no longer promised, and those who received some are listed by partner",
		"stock recall --batch C-2611 --reason 'lab report 77' --dry-run",
	)
		.argument("[lot_id]", "one lot, by its id; instead of --batch", uuid)
		.option("--batch <number>", "every lot with this batch number")
		.option("--formula <code>", "only lots of this formula")
		.requiredOption("--reason <text>", "the reason; kept in the ledger")
		.option("--dry-run", "show what it would do and who received units; change nothing")
		.addOption(new Option("--csv", "print the lists for partners as CSV").conflicts("json"))
		.action(async (fgId: string | undefined, options: Options, command: Command) => {
			if ((fgId === undefined) === (options.batch === undefined))
				command.error("error: give either a lot's id or --batch");
			if (fgId !== undefined && options.formula !== undefined) command.error("error: --formula goes with --batch");
			const { batch: batch_number, formula, reason, dryRun: dry_run } = options;
			const body = { batch_number, formula, fg_id: fgId, reason, dry_run };
			const askedAt = wallClock().getTime();
			const told = await callToEnd("recall_lots", { body }, { title: "Units recalled", read: readRecall });
			if (options.csv) process.stdout.write(recallCsv(told));
			else print(told, options.json, () => describe(told, askedAt));
		});
}

/** A recall with its lists. */
type Told = DataOfCall<"get_recall">;

const readRecall = (call: CallOperator, id: string): Promise<Told> => call("get_recall", { params: { id } });

/** `askedAt`: when the command was run, in epoch milliseconds; a recall that ended before did all of it. */
function describe(told: Told, askedAt: number): string {
	const { lots, moved, replaced, lost, dry_run: dryRun } = told;
	const isOld = told.ended_at !== null && Date.parse(told.ended_at) < askedAt - CLOCKS_DIFFER_MS;
	return [
		...(isOld
			? [
					`This was recalled before, at ${told.ended_at}${told.reason === null ? "" : `: "${told.reason}"`}. Nothing was changed now.`,
				]
			: []),
		dryRun
			? `Nothing was changed. A recall of ${plural(lots.length, "lot")} would quarantine ${plural(moved, "unit")}. Of the units that holds and orders have, ${replaced} would be picked again from other lots and ${lost} lost.`
			: `${plural(lots.length, "lot")} recalled: ${plural(moved, "unit")} quarantined. Of the units that holds and orders had, ${replaced} were picked again from other lots and ${lost} lost.`,
		"",
		[lotTable(lots), ...restoredLots(lots)].join("\n"),
		...(told.nearly_the_same.length === 0
			? []
			: section("Not recalled, although the batch number is nearly the same:", "lots", told.nearly_the_same, (nearly) =>
					tableOf(nearly, LOT),
				)),
		...section(
			"Already picked: open the boxes of orders that were not picked again:",
			"orders",
			told.packed_orders,
			packedTable,
		),
		...section("Shipped to partners' customers:", "orders", told.shipped_orders, shippedTable),
		...section("Consumed by partners, who ship themselves:", "references", told.consumed, consumedTable),
		...section("Shipped without an order in Holdfast:", "references", told.shipped_elsewhere, elsewhereTable),
		...section(dryRun ? "Holds that it would impair:" : "Impaired holds:", "holds", told.impaired_holds, holdTable),
		...section(
			dryRun ? "Orders that it would put on hold:" : "Orders on hold:",
			"orders",
			told.held_orders,
			orderTable,
		),
		...(dryRun
			? []
			: [
					"",
					`False alarm? ${quotedCommand("stock restore <lot> --all --ends-recall --reason …")} for each lot gives the units back.`,
				]),
	].join("\n");
}

const restoredLots = (lots: Told["lots"]): string[] =>
	lots.flatMap(({ fg_id, restored, recalled_at }) =>
		restored === 0
			? []
			: `Lot ${fg_id}: ${plural(restored, "unit")} restored since${recalled_at === null ? ", which ended its recall" : ""}.`,
	);

/** A list under its title, with a line that says how many of `what` are not shown. */
function section<T>(title: string, what: string, items: readonly T[], show: (items: T[]) => string): string[] {
	if (items.length === 0) return ["", `${title} none.`];
	const { shown, rest } = shorten(items, MAX_ROWS, what);
	return ["", title, show(shown), ...rest];
}

const brandOf = ({ brand_code: brand }: { readonly brand_code: string | null }): string => brand ?? "(shared)";
const batchesOf = ({ batch_numbers: batches }: { readonly batch_numbers: readonly string[] }): string =>
	batches.join(" ");

const LOT = { LOT: "fg_id", FORMULA: "formula", BRAND: brandOf, BATCH: "batch_number" } as const;
const WHOSE = { PARTNER: "partner", KEY: "key_name" } as const;
const ORDER = { ...WHOSE, ORDER: nameOfOrder, UNITS: "units" } as const;

const lotTable = (lots: Told["lots"]): string =>
	tableOf(lots, {
		...LOT,
		AVAILABLE: "available",
		HELD: "held",
		ALLOCATED: "allocated",
		CONSUMED: "consumed",
		SHIPPED: "shipped",
		QUARANTINED: "quarantined",
		DESTROYED: "destroyed",
	});
const packedTable = (orders: Told["packed_orders"]): string =>
	tableOf(orders, {
		...ORDER,
		BATCHES: batchesOf,
		PICKED: "picked_at",
		ANEW: "picked_anew_at",
		CARRIER: "carrier_code",
		TRACKING: "tracking_number",
		BOX: "shipment_id",
	});
const shippedTable = (orders: Told["shipped_orders"]): string =>
	tableOf(orders, {
		...ORDER,
		BATCHES: batchesOf,
		SHIPPED: "shipped_at",
		CARRIER: "carrier_code",
		TRACKING: "tracking_number",
	});
const consumedTable = (consumes: Told["consumed"]): string =>
	tableOf(consumes, {
		...WHOSE,
		REFERENCE: "external_ref",
		UNITS: "units",
		"REPORTED SHIPPED": "shipped_units",
		BATCHES: batchesOf,
		CONSUMED: "consumed_at",
	});
const elsewhereTable = (shipped: Told["shipped_elsewhere"]): string =>
	tableOf(shipped, { REFERENCE: "reference", UNITS: "units", BATCHES: batchesOf, AT: "at" });
const holdTable = (holds: Told["impaired_holds"]): string =>
	tableOf(holds, {
		...WHOSE,
		HOLD: "reservation_token",
		REFERENCE: "external_ref",
		UNITS: "units",
		EXPIRES: "expires_at",
	});
const orderTable = (orders: Told["held_orders"]): string => tableOf(orders, { ...ORDER, PLACED: "placed_at" });
