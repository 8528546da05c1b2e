import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { MAX_UNITS } from "../../../service/src/inventory/stock/limits.ts";
import { callWithin } from "../client/follow-run.ts";
import { type CallOperator, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { day, wholeNumber } from "../terminal/options.ts";
import { plural, print } from "../terminal/output.ts";
import { addLotName, findLot, findNamedLot, LOT_HINT, type LotOptions } from "./lot-name.ts";
import { addRecall } from "./recall.ts";
import { addHistory } from "./stock-history.ts";
import { addShow } from "./stock-show.ts";

/** Why received units are not for sale: another lot of their batch number is recalled, or their own. */
const IN_QUARANTINE = `\nA lot of this batch number is recalled, so they are not for sale. ${quotedCommand("stock restore <lot> --units N --reason …")} releases them if they are good.`;
const IN_RECALLED_LOT = `\nThis lot is recalled, so they are not for sale. If they are good, they need a separate batch number. ${quotedCommand("stock restore <lot> --all --ends-recall --reason …")} gives back every unit of the lot and ends its recall: only after a false alarm.`;
/** What to do where a restore would end a recall. */
const ENDS_RECALL = "--ends-recall confirms it. Units that are bad must be destroyed first.";
const NOTHING_DONE = "Nothing was changed: this was a dry run.";

export function addStock(program: Command): void {
	const group = program.command("stock").description("lots, and the units in them");
	addReceive(group);
	addCorrect(group);
	addMoves(group);
	addRecall(group);
	addLocate(group);
	addShow(group);
	addHistory(group);
}

interface ReceiveOptions extends JsonOption {
	readonly formula: string;
	readonly batch: string;
	readonly brand?: string;
	readonly expires?: string;
	readonly received?: string;
	readonly units: number;
	readonly reason?: string;
	readonly acceptRecalled?: true;
	readonly newBatch?: true;
}

function addReceive(group: Command): void {
	addCommand(
		group,
		"receive",
		"receive units into a new lot or an existing one",
		"stock receive --formula CALM-60 --brand ACME --batch C-2611 --expires 2028-11-30 --units 120",
	)
		.requiredOption("--formula <code>", "formula code")
		.requiredOption("--batch <number>", "batch number")
		.option("--brand <code>", "brand code; the shared stock by default")
		.option(
			"--expires <day>",
			"the last day of use, YYYY-MM-DD; by default the day on record; without one, a new batch never expires",
			day,
		)
		.option("--received <day>", "the day of receipt, YYYY-MM-DD (today)", day)
		.requiredOption("--units <n>", "units", wholeNumber(1, MAX_UNITS))
		.option("--reason <text>", "why, such as a delivery note; kept in the ledger (default: the batch number)")
		.option(
			"--accept-recalled",
			"receive the units free although a lot of the batch number is recalled; needs --reason",
		)
		.option("--new-batch", "create a batch although its number is nearly that of another")
		.action(async (options: ReceiveOptions, command: Command) => {
			if (options.acceptRecalled && options.reason === undefined)
				command.error("error: --accept-recalled needs --reason: say why these units are good");
			const [received, why] = await withOperator(async (call) => {
				const answer = await call("receive_batch", { body: receiptOf(options) });
				return [answer, answer.quarantined ? await whyQuarantined(call, answer.fg_id) : ""] as const;
			});
			print(
				received,
				options.json,
				() =>
					`Lot ${received.fg_id}: ${plural(options.units, "unit")} received${received.quarantined ? " into quarantine" : ""}, ${received.received} in all.${why}`,
			);
		});
}

/** Why units that came to a lot are in quarantine, and what releases them. */
async function whyQuarantined(call: CallOperator, fg_id: string): Promise<string> {
	const { recalled_at } = await call("get_lot", { params: { fg_id } }, LOT_HINT);
	return recalled_at === null ? IN_QUARANTINE : IN_RECALLED_LOT;
}

const receiptOf = ({ batch, brand, expires, received, acceptRecalled, newBatch, ...more }: ReceiveOptions) => ({
	formula: more.formula,
	brand_code: brand ?? null,
	batch_number: batch,
	expires_on: expires,
	received_on: received,
	units: more.units,
	reason: more.reason,
	accept_recalled: acceptRecalled,
	new_batch: newBatch,
});

function addCorrect(group: Command): void {
	addLotName(
		addCommand(
			group,
			"correct",
			"correct a recount: add free units or, with a negative number, take them off; held units are not touched",
			"stock correct C-2611 --units -3 --reason 'counted on the shelf'",
		),
	)
		.requiredOption("--units <n>", "units to add; negative: units to take off", wholeNumber(-MAX_UNITS, MAX_UNITS))
		.requiredOption("--reason <text>", "the reason; kept in the ledger")
		.action(async (lot: string, options: { units: number; reason: string; json?: true } & LotOptions) => {
			const { units, reason } = options;
			const [moved, why] = await withOperator(async (call) => {
				const fg_id = await findNamedLot(call, lot, options);
				const answer = await call("correct_lot", { params: { fg_id }, body: { units, reason } }, LOT_HINT);
				return [answer, answer.quarantined ? await whyQuarantined(call, fg_id) : ""] as const;
			});
			print(moved, options.json, () =>
				moved.quarantined
					? `Lot ${moved.fg_id}: ${plural(units, "unit")} added, in quarantine.${why}`
					: `Lot ${moved.fg_id}: ${plural(Math.abs(units), "free unit")} ${units > 0 ? "added" : "taken off"}.`,
			);
		});
}

function addMoves(group: Command): void {
	addMove(
		group,
		"quarantine",
		"take units out of sale for now: free units first, then held units, which are picked again from other lots",
		"quarantined",
	);
	addMove(
		group,
		"restore",
		"return quarantined units, first to holds and orders that lost units of this lot, then to sale; restoring a recalled lot ends its recall",
		"restored",
	);
	addMove(
		group,
		"destroy",
		"remove units for good: quarantined units first, then free and held units as quarantine does",
		"destroyed",
	);
}

interface MoveOptions extends LotOptions, JsonOption {
	readonly units?: number;
	readonly all?: true;
	readonly reason: string;
	readonly dryRun?: true;
	readonly endsRecall?: true;
}

/** `done`: the state of the units afterwards. */
function addMove(group: Command, kind: "quarantine" | "restore" | "destroy", description: string, done: string): void {
	const command = addLotName(
		addCommand(group, kind, description, `stock ${kind} C-2611 --all --reason 'recall 2026-12'`),
	);
	if (kind === "restore")
		command.option("--ends-recall", "confirm that it ends the recall of the lot; needed for a recalled lot");
	command
		.option("--units <n>", "units", wholeNumber(1, MAX_UNITS))
		.option("--all", "all units")
		.option("--dry-run", "show what it would do; change nothing")
		.requiredOption("--reason <text>", "the reason; kept in the ledger")
		.action(async (lot: string, options: MoveOptions, command: Command) => {
			if ((options.units === undefined) === (options.all === undefined))
				command.error("error: give either --units or --all");
			const { units, all, reason, dryRun: dry_run, endsRecall: ends_recall } = options;
			const moved = await withOperator(async (call, session) => {
				const named = await findLot(call, lot, options);
				const params = { fg_id: named.fg_id };
				const body = { units, all, reason, dry_run, ...(ends_recall === undefined ? {} : { ends_recall }) };
				const isUnconfirmed = kind === "restore" && named.recalled_at !== null && ends_recall === undefined;
				const hints = isUnconfirmed ? { ...LOT_HINT, not_possible_now: ENDS_RECALL } : LOT_HINT;
				return await callWithin(call, session, [`${kind}_lot`, { params, body }], { title: `Units ${done}`, hints });
			});
			print(moved, options.json, () => `${describeMoved(moved, done)}${dry_run ? `\n${NOTHING_DONE}` : ""}`);
		});
}

interface MovedUnits {
	readonly fg_id: string;
	readonly moved: number;
	readonly replaced: number;
	readonly lost: number;
	readonly given_back?: number;
	readonly recall_ended?: boolean;
}

function describeMoved(
	{ fg_id: fgId, moved, replaced, lost, given_back: givenBack = 0, recall_ended: recallEnded = false }: MovedUnits,
	done: string,
): string {
	const lines = [`Lot ${fgId}: ${plural(moved, "unit")} ${done}.`];
	if (recallEnded) lines.push("The lot is not recalled any more: its units can be sold.");
	if (givenBack > 0)
		lines.push(`${plural(givenBack, "unit")} of them went back to holds and orders that had lost units of this lot.`);
	if (replaced > 0)
		lines.push(
			`${plural(replaced, "of them was held and was", "of them were held and were")} picked again from other lots.`,
		);
	if (lost > 0)
		lines.push(
			`${plural(lost, "held unit")} could not be replaced: their holds are impaired, their orders on hold. ${quotedCommand("holds list --status impaired")} and ${quotedCommand("orders list --status held")} show them.`,
		);
	return lines.join("\n");
}

function addLocate(group: Command): void {
	addLotName(
		addCommand(
			group,
			"locate",
			"record where in the warehouse a lot is; pick lists are sorted by it",
			"stock locate C-2611 --location A-12-3",
		),
	)
		.option("--location <text>", "the location, as your people write it; without this option it is removed")
		.action(async (lot: string, options: { location?: string; json?: true } & LotOptions) => {
			const { location = null } = options;
			const located = await withOperator(async (call) => {
				const fg_id = await findNamedLot(call, lot, options);
				return await call("locate_lot", { params: { fg_id }, body: { location } }, LOT_HINT);
			});
			print(located, options.json, () =>
				located.location === null
					? `Lot ${located.fg_id} has no location.`
					: `Lot ${located.fg_id} is at ${located.location}.`,
			);
		});
}
