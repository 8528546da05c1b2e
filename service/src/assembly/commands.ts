import type { AnswerOf, CommandOf, Kind } from "../ground/engine/kind.ts";
import type { Catalog } from "../inventory/catalog/catalog.ts";
import { HOLD_COMMANDS } from "../inventory/holds/commands.ts";
import { ORDER_COMMANDS } from "../inventory/orders/commands.ts";
import { RECALL_COMMANDS } from "../inventory/recall/commands.ts";
import { STOCK_COMMANDS } from "../inventory/stock/commands.ts";
import type { BatchRows, Book, Needs } from "./rows.ts";

/** The commands of all rooms, by kind. To follow a command, open the file of its name in its room. */
export const COMMANDS = { ...STOCK_COMMANDS, ...HOLD_COMMANDS, ...ORDER_COMMANDS, ...RECALL_COMMANDS };

export type Command = CommandOf<typeof COMMANDS>;
export type Answer = AnswerOf<typeof COMMANDS>;

/** The kind of a command. A kind is only ever called with its own commands, which the table's type cannot express. */
export const kindOf = (command: Command): Kind<Command, Answer, Book, Needs, Catalog> =>
	COMMANDS[command.kind] as Kind<Command, Answer, Book, Needs, Catalog>;

/** Decides one command on the book and propagates its effects, so that the next command sees them. Pure. */
export function decide(rows: BatchRows, book: Book, command: Command): Answer {
	const answer = kindOf(command).decide(book, command);
	for (const each of rows) each.propagate?.(book);
	return answer;
}
