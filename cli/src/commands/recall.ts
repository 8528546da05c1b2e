import { type Command, Option } from "commander";
import { wallClock } from "../../../service/src/ground/lib/clock.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { recallCsv } from "../../../service/src/inventory/recall/recall-csv.ts";
import { callWithin } from "../client/follow-run.ts";
import {
	type Asked,
	type CallOperator,
	type DataOfCall,
	type OperatorSession,
	withOperator,
} from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { uuid } from "../terminal/options.ts";
import { plural, print, shorten, table } from "../terminal/output.ts";
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
			const told = await withOperator((call, session) => recallWithin(call, session, body));
			if (options.csv) process.stdout.write(recallCsv(told));
			else print(told, options.json, () => describe(told, askedAt));
		});
}

/** A recall with its lists. */
type Told = DataOfCall<"get_recall">;

/** Recalls, and follows the recall to its end. */
const recallWithin = (
	call: CallOperator,
	session: OperatorSession,
	body: NonNullable<Asked<"recall_lots">["body"]>,
): Promise<Told> =>
	callWithin(call, session, ["recall_lots", { body }], {
		title: "Units recalled",
		read: (again, id) => again("get_recall", { params: { id } }),
	});

/** `askedAt`: when the command was run, in epoch milliseconds; a recall that ended before did all of it. */
function describe(told: Told, askedAt: number): string {
	const { lots, moved, replaced, lost, dry_run: dryRun } = told;
	const rows = lots.map((lot) => [
		lot.fg_id,
		lot.formula,
		lot.brand_code ?? "(shared)",
		lot.batch_number,
		lot.available,
		lot.held,
		lot.allocated,
		lot.consumed,
		lot.shipped,
		lot.quarantined,
		lot.destroyed,
	]);
	const headings = ["LOT", "FORMULA", "BRAND", "BATCH", "AVAILABLE", "HELD", "ALLOCATED", "CONSUMED", "SHIPPED"];
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
		[table([...headings, "QUARANTINED", "DESTROYED"], rows), ...restoredLots(lots)].join("\n"),
		...(told.nearly_the_same.length === 0
			? []
			: listed(
					"Not recalled, although the batch number is nearly the same:",
					"lots",
					["LOT", "FORMULA", "BRAND", "BATCH"],
					told.nearly_the_same.map((lot) => [lot.fg_id, lot.formula, lot.brand_code ?? "(shared)", lot.batch_number]),
				)),
		...listed(
			"Already picked: open the boxes of orders that were not picked again:",
			"orders",
			PACKED,
			told.packed_orders.map(packedRow),
		),
		...listed("Shipped to partners' customers:", "orders", SHIPPED, told.shipped_orders.map(shippedRow)),
		...listed("Consumed by partners, who ship themselves:", "references", CONSUMED, told.consumed.map(consumedRow)),
		...listed(
			"Shipped without an order in Holdfast:",
			"references",
			ELSEWHERE,
			told.shipped_elsewhere.map(elsewhereRow),
		),
		...listed(
			dryRun ? "Holds that it would impair:" : "Impaired holds:",
			"holds",
			HOLDS,
			told.impaired_holds.map(holdRow),
		),
		...listed(
			dryRun ? "Orders that it would put on hold:" : "Orders on hold:",
			"orders",
			ORDERS,
			told.held_orders.map(orderRow),
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

type Row = (string | number | null)[];

function listed(title: string, what: string, headings: readonly string[], rows: readonly Row[]): string[] {
	if (rows.length === 0) return ["", `${title} none.`];
	const { shown, rest } = shorten(rows, MAX_ROWS, what);
	return ["", title, table(headings, shown), ...rest];
}

const ELSEWHERE = ["REFERENCE", "UNITS", "BATCHES", "AT"];
const PACKED = ["PARTNER", "KEY", "ORDER", "UNITS", "BATCHES", "PICKED", "ANEW", "CARRIER", "TRACKING", "BOX"];
const SHIPPED = ["PARTNER", "KEY", "ORDER", "UNITS", "BATCHES", "SHIPPED", "CARRIER", "TRACKING"];
const CONSUMED = ["PARTNER", "KEY", "REFERENCE", "UNITS", "REPORTED SHIPPED", "BATCHES", "CONSUMED"];
const HOLDS = ["PARTNER", "KEY", "HOLD", "REFERENCE", "UNITS", "EXPIRES"];
const ORDERS = ["PARTNER", "KEY", "ORDER", "UNITS", "PLACED"];

const packedRow = (order: Told["packed_orders"][number]): Row => [
	order.partner,
	order.key_name,
	nameOfOrder(order),
	order.units,
	order.batch_numbers.join(" "),
	order.picked_at,
	order.picked_anew_at,
	order.carrier_code,
	order.tracking_number,
	order.shipment_id,
];

const shippedRow = (order: Told["shipped_orders"][number]): Row => [
	order.partner,
	order.key_name,
	nameOfOrder(order),
	order.units,
	order.batch_numbers.join(" "),
	order.shipped_at,
	order.carrier_code,
	order.tracking_number,
];
const elsewhereRow = (one: Told["shipped_elsewhere"][number]): Row => [
	one.reference,
	one.units,
	one.batch_numbers.join(" "),
	one.at,
];
const consumedRow = (consume: Told["consumed"][number]): Row => [
	consume.partner,
	consume.key_name,
	consume.external_ref,
	consume.units,
	consume.shipped_units,
	consume.batch_numbers.join(" "),
	consume.consumed_at,
];
const holdRow = (hold: Told["impaired_holds"][number]): Row => [
	hold.partner,
	hold.key_name,
	hold.reservation_token,
	hold.external_ref,
	hold.units,
	hold.expires_at,
];
const orderRow = (order: Told["held_orders"][number]): Row => [
	order.partner,
	order.key_name,
	nameOfOrder(order),
	order.units,
	order.placed_at,
];
