import { isRefusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { OpenAgain } from "../stock/engine.ts";
import { selectLotIds } from "../stock/sql.ts";
import type { Answer, Command, Reserve } from "./commands.ts";
import type { HoldBook } from "./hold-book.ts";
import type { More } from "./load.ts";
import { needsOf } from "./needs.ts";
import { findActiveTokens } from "./sql.ts";

/**
 * Before a reserve is refused: was its reference taken, or did a lot come to its shelves, after the batch looked and before it
 * had its locks? A replay comes before every other look (decisions.md, section 5), also when the hold was made on another node
 * a moment ago and took the last units. A stale grant needs no such care: the unique index and the locks stop it.
 * @throws OpenAgain when there is something new.
 */
export async function doubtRefusals(
	tx: Query,
	book: HoldBook,
	commands: readonly Command[],
	answers: readonly Answer[],
): Promise<void> {
	const refused = commands.filter((command, i): command is Reserve => isRefusedReserve(command, answers[i]));
	if (refused.length === 0) return;
	const { activeRefs } = needsOf(refused, book.catalog);
	const short = commands.filter((_, i) => hasCode(answers[i], "no_inventory"));
	const { shelves } = needsOf(short, book.catalog);
	const [tokens, lots] = await Promise.all([
		activeRefs.length > 0 ? findActiveTokens(tx, activeRefs) : [],
		shelves.size > 0 ? selectLotIds(tx, shelves) : [],
	]);
	const newLots = lots.map(([fgId]) => fgId).filter((fgId) => !book.lotsById.has(fgId));
	if (newLots.length === 0 && tokens.every(([token]) => book.holds.has(token))) return;
	const more: More = { shelves: new Map(book.locked.shelves), fgIds: new Set([...book.locked.fgIds, ...newLots]) };
	throw new OpenAgain(more);
}

// the brand gate comes before the replay
const isRefusedReserve = (command: Command, answer: Answer | undefined): boolean =>
	command.kind === "reserve" && isRefusal(answer) && answer.refusal !== "brand_mismatch";

const hasCode = (answer: Answer | undefined, code: string): boolean => isRefusal(answer) && answer.refusal === code;
