import type { Command } from "commander";
import type { HistoryOf, MoveList } from "../inventory/stock/list-moves.ts";
import { addCommand, type JsonOption } from "./command.ts";
import { granted, withStore } from "./context.ts";
import { LOT_HINT, lotNamed } from "./lot-name.ts";
import { DEFAULT_LIMIT, limitOption } from "./options.ts";
import { print, snake, table } from "./output.ts";

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
		.argument("[lot]", "the lot, by its fg_id or batch number")
		.option("--formula <code>", "the lots of this formula; with a lot, its formula")
		.option("--brand <code>", "only lots of this brand, by default of every pool; with a lot, its brand")
		.option(...limitOption(DEFAULT_LIMIT, "maximum rows, the last ones"))
		.action(async (lot: string | undefined, options: HistoryOptions, command: Command) => {
			const { formula, brand = null, limit = DEFAULT_LIMIT } = options;
			if (lot === undefined && formula === undefined) command.error("error: give a lot or --formula");
			const { listMoves } = await import("../inventory/stock/list-moves.ts");
			const list = await withStore(async ({ db }) => {
				const of: HistoryOf =
					lot === undefined ? { formula: formula ?? "", brand } : { fgId: await lotNamed(db, lot, options) };
				return granted(await listMoves(db, of, limit), LOT_HINT);
			});
			print(snake(list), options.json, () => moveTable(list));
		});
}

function moveTable({ items, hasMore }: MoveList): string {
	if (items.length === 0) return "No moves.";
	const rows = items.map((move) => [
		move.at,
		move.brandCode ?? "(shared)",
		move.batchNumber,
		`${move.from} → ${move.to}`,
		move.units,
		move.reason === null ? move.cause : `${move.cause}: ${move.reason}`,
		move.about,
		move.actor,
	]);
	const headings = ["TIME", "BRAND", "BATCH", "MOVE", "UNITS", "WHY", "ABOUT", "ASKED BY"];
	const shown = table(headings, rows);
	return hasMore ? `… and earlier ones: raise --limit.\n${shown}` : shown;
}
