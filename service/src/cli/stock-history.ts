import type { Command } from "commander";
import { quotedCommand } from "../ground/lib/typed-command.ts";
import type { HistoryOf, MoveList } from "../inventory/stock/list-moves.ts";
import { addCommand } from "./command.ts";
import { granted, withStore } from "./context.ts";
import { uuid, wholeNumber } from "./options.ts";
import { print, snake, table } from "./output.ts";

/** Moves that a history shows unless told otherwise. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000;

interface HistoryOptions {
	readonly formula?: string;
	readonly brand?: string;
	readonly limit?: number;
	readonly json?: true;
}

export function addHistory(group: Command): void {
	addCommand(
		group,
		"history",
		"the moves of a lot, or of the lots of a formula, from the ledger: what, when, why and who asked; the newest last",
		"stock history --formula CALM-60 --brand ACME",
	)
		.argument("[fg_id]", "the lot", uuid)
		.option("--formula <code>", "the lots of this formula, in place of one lot")
		.option("--brand <code>", "of them only those of this brand; those of every pool by default")
		.option("--limit <n>", `maximum rows, the last ones (${DEFAULT_LIMIT})`, wholeNumber(1, MAX_LIMIT))
		.action(async (fgId: string | undefined, options: HistoryOptions, command: Command) => {
			const { formula, brand = null, limit = DEFAULT_LIMIT } = options;
			if ((fgId === undefined) === (formula === undefined)) command.error("error: give either a lot or --formula");
			if (fgId !== undefined && brand !== null) command.error("error: --brand goes with --formula");
			const of: HistoryOf = fgId === undefined ? { formula: formula ?? "", brand } : { fgId };
			const { listMoves } = await import("../inventory/stock/list-moves.ts");
			const hints = { not_found: `${quotedCommand("stock show")} lists the lots.` };
			const list = await withStore(async ({ db }) => granted(await listMoves(db, of, limit), hints));
			print(snake(list), options.json, () => moveTable(list));
		});
}

function moveTable({ items, hasMore }: MoveList): string {
	if (items.length === 0) return "No moves.";
	const rows = items.map((move) => [
		...[move.at.toISOString(), move.brandCode ?? "(shared)", move.batchNumber, move.from, move.to, move.units],
		...[move.cause, move.about, move.reason, move.actor],
	]);
	const headings = ["TIME", "BRAND", "BATCH", "FROM", "TO", "UNITS", "CAUSE", "ABOUT", "REASON", "ASKED BY"];
	const shown = table(headings, rows);
	return hasMore ? `… and earlier ones: raise --limit.\n${shown}` : shown;
}
