import { type Command, Option } from "commander";
import type { Refusal } from "../../../service/src/ground/lib/refusal.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { Query } from "../../../service/src/ground/pg/connect.ts";
import type { RecalledLots, RecallTarget } from "../../../service/src/inventory/recall/in-steps.ts";
import type { RecallLook } from "../../../service/src/inventory/recall/look-at-recall.ts";
import type { LotOfBatch } from "../../../service/src/inventory/stock/find-lot-sql.ts";
import { type Context, granted, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { uuid } from "../terminal/options.ts";
import { plural, print, shorten, snake, table } from "../terminal/output.ts";

interface Options extends JsonOption {
	readonly batch?: string;
	readonly formula?: string;
	readonly reason: string;
	readonly dryRun?: true;
	readonly csv?: true;
}

const ORIGIN = { actor: "operator:cli", requestId: null } as const;
/** Most rows of each list in human-readable output. */
const MAX_ROWS = 50;

export function addRecall(group: Command): void {
	addCommand(
		group,
		"recall",
		"recall a lot, or a batch number in every pool: its units are no longer promised, and those who received some are listed by partner",
		"stock recall --batch C-2611 --reason 'lab report 77' --dry-run",
	)
		.argument("[fg_id]", "one lot; instead of --batch", uuid)
		.option("--batch <number>", "every lot with this batch number")
		.option("--formula <code>", "only lots of this formula")
		.requiredOption("--reason <text>", "the reason; kept in the ledger")
		.option("--dry-run", "show what it would do and who received units; change nothing")
		.addOption(new Option("--csv", "print the lists for partners as CSV").conflicts("json"))
		.action(async (fgId: string | undefined, options: Options, command: Command) => {
			if ((fgId === undefined) === (options.batch === undefined))
				command.error("error: give either a lot's fg_id or --batch");
			if (fgId !== undefined && options.formula !== undefined) command.error("error: --formula goes with --batch");
			const { batch = "", formula = null } = options;
			const target = fgId === undefined ? { batchNumber: batch, formula } : { fgId };
			const told = await withStore((context) => recallWithin(context, target, options));
			if (options.csv) process.stdout.write(asCsv(told));
			else print(snake(told), options.json, () => describe(told));
		});
}

interface Told extends Omit<RecallLook, "forecast"> {
	readonly dryRun: boolean;
	readonly reason: string;
	/** Units that this command put into quarantine; with a dry run, would put. */
	readonly moved: number;
	/** Of these, the held or allocated units that were replaced from other lots. */
	readonly replaced: number;
	/** Of these, the units that their holds and orders lost. */
	readonly lost: number;
	/** Lots that are not recalled although their batch number is nearly the same. */
	readonly nearlyTheSame: readonly LotOfBatch[];
}

async function recallWithin(context: Context, target: RecallTarget, options: Options): Promise<Told> {
	const { db, agreed } = context;
	const { timeZone, coa } = await agreed("HOLDFAST_TIME_ZONE", "HOLDFAST_COA_REQUIRED");
	const { reason } = options;
	const dryRun = options.dryRun === true;
	const { findLotsToRecall } = await import("../../../service/src/inventory/recall/in-steps.ts");
	const { lookAtRecall } = await import("../../../service/src/inventory/recall/look-at-recall.ts");
	const done = dryRun ? null : await recallWithProgress(context, target, reason);
	const fgIds = done?.fgIds ?? granted(await findLotsToRecall(db, target));
	const { forecast, ...look } = await lookAtRecall(db, timeZone, fgIds, {
		forecast: dryRun,
		certificatesRequired: coa.required,
	});
	const { moved, replaced, lost } = done ?? forecast ?? { moved: 0, replaced: 0, lost: 0 };
	return { dryRun, reason, moved, replaced, lost, nearlyTheSame: await nearLots(db, target), ...look };
}

async function nearLots(db: Query, target: RecallTarget): Promise<LotOfBatch[]> {
	if ("fgId" in target) return [];
	const { selectLotsOfBatch } = await import("../../../service/src/inventory/stock/find-lot-sql.ts");
	return (await selectLotsOfBatch(db, target.batchNumber)).filter((lot) => lot.batchNumber !== target.batchNumber);
}

export async function recallWithProgress(
	context: Context,
	target: RecallTarget,
	reason: string,
): Promise<RecalledLots> {
	const { recallInSteps } = await import("../../../service/src/inventory/recall/in-steps.ts");
	const { withSteps } = await import("./steps.ts");
	return await withSteps<RecalledLots, RecalledLots | Refusal>(
		context,
		{ title: "Units recalled", describe: describeSoFar },
		(engine, onStep) => recallInSteps(context.db, engine, { origin: ORIGIN, target, reason }, onStep),
	);
}

const describeSoFar = ({ fgIds, moved, left }: RecalledLots): string =>
	`${plural(fgIds.length, "lot")} recalled, ${plural(moved, "unit")} in quarantine so far; holds and orders still have ${left}, and nobody else gets those. Run the same command to take the rest and to list who received units.`;

function describe(told: Told): string {
	const { lots, moved, replaced, lost, dryRun } = told;
	const rows = lots.map((lot) => [
		lot.fgId,
		lot.formula,
		lot.brandCode ?? "(shared)",
		lot.batchNumber,
		lot.available,
		lot.held,
		lot.allocated,
		lot.consumed,
		lot.shipped,
		lot.quarantined,
		lot.destroyed,
	]);
	const headings = ["LOT", "FORMULA", "BRAND", "BATCH", "AVAILABLE", "HELD", "ALLOCATED", "CONSUMED", "SHIPPED"];
	return [
		dryRun
			? `Nothing was changed. A recall of ${plural(lots.length, "lot")} would quarantine ${plural(moved, "unit")}. Of the units that holds and orders have, ${replaced} would be picked again from other lots and ${lost} lost.`
			: `${plural(lots.length, "lot")} recalled: ${plural(moved, "unit")} quarantined. Of the units that holds and orders had, ${replaced} were picked again from other lots and ${lost} lost.`,
		"",
		table([...headings, "QUARANTINED", "DESTROYED"], rows),
		...(told.nearlyTheSame.length === 0
			? []
			: listed(
					"Not recalled, although the batch number is nearly the same:",
					"lots",
					["LOT", "FORMULA", "BRAND", "BATCH"],
					told.nearlyTheSame.map((lot) => [lot.fgId, lot.formula, lot.brandCode ?? "(shared)", lot.batchNumber]),
				)),
		...listed("Shipped to partners' customers:", "orders", SHIPPED, told.shippedOrders.map(shippedRow)),
		...listed("Consumed by partners, who ship themselves:", "references", CONSUMED, told.consumed.map(consumedRow)),
		...listed("Shipped without an order here:", "references", ELSEWHERE, told.shippedElsewhere.map(elsewhereRow)),
		...listed(dryRun ? "Holds it would impair:" : "Impaired holds:", "holds", HOLDS, told.impairedHolds.map(holdRow)),
		...listed(dryRun ? "Orders it would hold:" : "Orders on hold:", "orders", ORDERS, told.heldOrders.map(orderRow)),
		...(dryRun
			? []
			: [
					"",
					`False alarm? ${quotedCommand("stock restore <lot> --all --reason …")} for each lot gives the units back.`,
				]),
	].join("\n");
}

type Row = (string | number | null)[];

function listed(title: string, what: string, headings: readonly string[], rows: readonly Row[]): string[] {
	if (rows.length === 0) return ["", `${title} none.`];
	const { shown, rest } = shorten(rows, MAX_ROWS, what);
	return ["", title, table(headings, shown), ...rest];
}

const ELSEWHERE = ["REFERENCE", "UNITS", "BATCHES", "AT"];
const SHIPPED = ["PARTNER", "KEY", "ORDER", "REF", "EXTERNAL ID", "UNITS", "BATCHES", "SHIPPED", "CARRIER", "TRACKING"];
const CONSUMED = ["PARTNER", "KEY", "REFERENCE", "UNITS", "REPORTED SHIPPED", "BATCHES", "CONSUMED"];
const HOLDS = ["PARTNER", "KEY", "HOLD", "REFERENCE", "UNITS", "EXPIRES"];
const ORDERS = ["PARTNER", "KEY", "ORDER", "REF", "EXTERNAL ID", "UNITS", "PLACED"];

const shippedRow = (order: RecallLook["shippedOrders"][number]): Row => [
	order.partner,
	order.keyName,
	order.orderId,
	order.ref,
	order.externalOrderId,
	order.units,
	order.batchNumbers.join(" "),
	order.shippedAt.toISOString(),
	order.carrierCode,
	order.trackingNumber,
];
const elsewhereRow = (one: RecallLook["shippedElsewhere"][number]): Row => [
	one.reference,
	one.units,
	one.batchNumbers.join(" "),
	one.at.toISOString(),
];
const consumedRow = (consume: RecallLook["consumed"][number]): Row => [
	consume.partner,
	consume.keyName,
	consume.externalRef,
	consume.units,
	consume.shippedUnits,
	consume.batchNumbers.join(" "),
	consume.consumedAt.toISOString(),
];
const holdRow = (hold: RecallLook["impairedHolds"][number]): Row => [
	hold.partner,
	hold.keyName,
	hold.reservationToken,
	hold.externalRef,
	hold.units,
	hold.expiresAt.toISOString(),
];
const orderRow = (order: RecallLook["heldOrders"][number]): Row => [
	order.partner,
	order.keyName,
	order.orderId,
	order.ref,
	order.externalOrderId,
	order.units,
	order.placedAt.toISOString(),
];

/** All lists as one table for a spreadsheet; its column `list` names the list of each row. */
function asCsv({ shippedOrders, consumed, shippedElsewhere, impairedHolds, heldOrders }: Told): string {
	const columns = [
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
	];
	const rows = [
		...shippedOrders.map((one) => ({ list: "shipped", ...one, at: one.shippedAt, shippedUnits: one.units })),
		...consumed.map((one) => ({ list: "consumed", ...one, at: one.consumedAt })),
		...shippedElsewhere.map(({ reference, ...one }) => ({ list: "shipped_elsewhere", externalRef: reference, ...one })),
		...impairedHolds.map((one) => ({ list: "impaired_hold", ...one, at: one.expiresAt })),
		...heldOrders.map((one) => ({ list: "held_order", ...one, at: one.placedAt })),
	].map((row) => {
		const named = snake(row) as Record<string, unknown>;
		return columns.map((column) => csvCell(named[column]));
	});
	return toCsv(columns, rows);
}

function csvCell(value: unknown): string | number | null {
	if (typeof value === "string" || typeof value === "number") return value;
	if (value instanceof Date) return value.toISOString();
	return Array.isArray(value) ? value.join(" ") : null;
}

/** A cell that a spreadsheet would evaluate as a formula (settlements, section 8). */
const FORMULA = /^[=+\-@\t\r\n]/;

type Cell = string | number | null;

/** Formats rows and their headings as CSV for spreadsheets: RFC 4180, CRLF. */
export const toCsv = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string =>
	[headings, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");

function cell(value: Cell): string {
	if (value === null) return "";
	if (typeof value === "number") return String(value);
	const text = FORMULA.test(value) ? `'${value}` : value;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
