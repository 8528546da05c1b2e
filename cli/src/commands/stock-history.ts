import type { Command } from "commander";
import { listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { DEFAULT_LIMIT, limitOption } from "../terminal/options.ts";
import { print, tableOf } from "../terminal/output.ts";
import { LOT_HINT } from "./lot-name.ts";
import { nameOfOrder } from "./order-name.ts";

interface HistoryOptions extends JsonOption {
	readonly formula?: string;
	readonly brand?: string;
	readonly limit?: number;
}

export function addHistory(group: Command): void {
	addCommand(
		group,
		"history",
		"the moves of a lot, or of the lots of a formula, from the ledger: what, when, why and who asked; the newest last",
		"stock history --formula CALM-60 --brand ACME",
	)
		.argument("[lot]", "the lot, by its id or batch number")
		.option("--formula <code>", "the lots of this formula; with a lot, its formula")
		.option("--brand <code>", "only lots of this brand, by default of every pool; shared: the shared stock")
		.option(...limitOption(DEFAULT_LIMIT, "maximum number of rows, the last ones"))
		.action(async (lot: string | undefined, options: HistoryOptions, command: Command) => {
			const { formula, brand, limit = DEFAULT_LIMIT } = options;
			const narrowed = { formula, brand_code: brand };
			if (lot !== undefined) {
				show(await listItems("list_lot_moves", narrowed, limit, LOT_HINT, { fg_id: lot }), options);
			} else if (formula !== undefined) {
				show(await listItems("list_moves", { ...narrowed, formula }, limit), options);
			} else command.error("error: give a lot or --formula");
		});
}

type MoveList = Awaited<ReturnType<typeof listItems<"list_lot_moves">>>;

const show = (list: MoveList, { json }: JsonOption): void => print(list, json, () => moveTable(list));

function moveTable({ items, next_cursor: earlier }: MoveList): string {
	if (items.length === 0) return "No moves.";
	const shown = tableOf(items.toReversed(), {
		TIME: "at",
		BRAND: (move) => move.brand_code ?? "(shared)",
		BATCH: "batch_number",
		MOVE: ({ from, to }) => `${from} → ${to}`,
		UNITS: "units",
		WHY: ({ cause, reason }) => (reason === null ? cause : `${cause}: ${reason}`),
		ABOUT: ({ order, about }) => (order === null ? about : nameOfOrder(order)),
		"ASKED BY": "actor",
	});
	return earlier === null ? shown : `… and earlier ones: raise --limit.\n${shown}`;
}
