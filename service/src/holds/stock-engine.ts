import type { CatalogCache } from "../catalog/cache.ts";
import { isRefusal, type Refusal } from "../lib/refusal.ts";
import { type Database, openDatabase, type Query } from "../pg/connect.ts";
import { createEngine, ENGINE_CONNECTIONS, type EngineHooks, executeIn, type Steps } from "../stock/engine.ts";
import { createPromisedCache } from "../stock/promised.ts";
import { saveStock } from "../stock/sql.ts";
import type { Answer, Answers, Command } from "./commands.ts";
import { decide } from "./decide.ts";
import { doubtShortages } from "./doubt.ts";
import type { HoldBook } from "./hold-book.ts";
import { loadBook, type More } from "./load.ts";
import { saveHolds } from "./sql.ts";

export interface StockSettings {
	readonly catalog: CatalogCache;
	/** IANA name; decides which day it is. */
	readonly timeZone: string;
}

/** The engine over lots and holds: every command that moves units goes through it. */
export interface StockEngine {
	execute<K extends Command["kind"]>(
		command: Command & { readonly kind: K },
	): Promise<Answers[K] | Refusal<"rate_limited">>;
	drain(): Promise<void>;
	readonly waiting: number;
	close(): Promise<void>;
}

/** Load, decide and save for lots and holds. */
export const stockSteps = (
	settings: StockSettings,
	promised = createPromisedCache(),
): Steps<Command, Answer, HoldBook, More> => ({
	open: (tx, commands, more) => loadBook(tx, { ...settings, promised }, commands, more),
	decide,
	doubt: doubtShortages,
	weigh: (command) => (command.kind === "reserve" ? command.lines.length : 1),
	save: (tx, book) => [...saveHolds(tx, book), ...saveStock(tx, book)],
});

/** Opens the engine on connections of its own, planned for its short statements. */
export function openStockEngine(url: string, settings: StockSettings, hooks: EngineHooks = {}): StockEngine {
	const db: Database = openDatabase(url, {
		max: ENGINE_CONNECTIONS,
		name: "holdfast engine",
		indexPlansOnly: true,
		onError: (error) => hooks.onTrouble?.("connection lost", error),
	});
	const engine = createEngine(db, stockSteps(settings), hooks);
	return {
		execute: (async (command: Command) => {
			const answer = await engine.execute(command);
			// only a reserve has the contract's `retry`; the others say the same with a status they do have
			const busy = command.kind !== "reserve" && isRefusal(answer) && answer.refusal === "retry";
			return busy ? { ...answer, refusal: "rate_limited" } : answer;
		}) as StockEngine["execute"],
		drain: engine.drain,
		get waiting() {
			return engine.waiting;
		},
		close: async () => {
			await engine.drain();
			await db.close();
		},
	};
}

/** The same commands inside a transaction of the caller's, all answered before anything is committed. */
export const executeStockIn = (tx: Query, settings: StockSettings, commands: readonly Command[]): Promise<Answer[]> =>
	executeIn(tx, stockSteps(settings), commands);
