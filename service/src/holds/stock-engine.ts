import type { CatalogCache } from "../catalog/cache.ts";
import {
	createEngine,
	ENGINE_CONNECTIONS,
	type EngineOptions,
	executeIn,
	MAIN_LOCK_WAIT_MS,
} from "../engine/engine.ts";
import type { Requester, Steps } from "../engine/steps.ts";
import { isRefusal, type Refusal } from "../lib/refusal.ts";
import { type Database, openDatabase, type Query } from "../pg/connect.ts";
import type { SessionOptions } from "../pg/session.ts";
import { createPromisedCache } from "../stock/promised.ts";
import { saveStock } from "../stock/sql.ts";
import { findBlocked, identitiesOf } from "./blocked.ts";
import type { Answer, Answers, Command } from "./commands.ts";
import { decide } from "./decide.ts";
import { doubtShortages } from "./doubt.ts";
import type { HoldBook } from "./hold-book.ts";
import { loadBook, type More } from "./load.ts";
import { saveHolds } from "./sql.ts";
import { createWeights } from "./weights.ts";

/** Milliseconds within which the database must answer a statement of a batch; then the connection is given up. */
const ANSWER_WITHIN_MS = 2_500;
/**
 * Milliseconds after which the server ends a transaction that waits for its next statement: a node that vanished inside a batch
 * lets go of its rows.
 */
const IDLE_IN_TRANSACTION_MS = 3_000;

export interface StockSettings {
	readonly catalog: CatalogCache;
	/** IANA name; decides which day it is. */
	readonly timeZone: string;
	/** Of the engine's own sessions. */
	readonly durability?: SessionOptions["durability"];
}

/** The engine over lots and holds: every command that moves units goes through it. */
export interface StockEngine {
	/** `requester`: the key behind the command; absent: the operator, or the service itself. */
	execute<K extends Command["kind"]>(
		command: Command & { readonly kind: K },
		requester?: Requester | null,
	): Promise<Answers[K] | Refusal<"rate_limited" | "unauthorized">>;
	drain(): Promise<void>;
	readonly waiting: number;
	/** Milliseconds for which the longest attempt under way has lasted. */
	silentForMs(): number;
	/** The engine's own connections, for the question whether they work. */
	readonly db: Database;
	close(): Promise<void>;
}

/** Load, decide and save for lots and holds. */
export function stockSteps(
	settings: StockSettings,
	promised = createPromisedCache(),
): Steps<Command, Answer, HoldBook, More> {
	const weights = createWeights();
	return {
		open: (tx, commands, signature, more) => loadBook(tx, { ...settings, promised }, commands, signature, more),
		decide: (book, command) => {
			const answer = decide(book, command);
			weights.note(command, answer);
			return answer;
		},
		doubt: doubtShortages,
		weigh: weights.weigh,
		save: (tx, book) => [...saveHolds(tx, book), ...saveStock(tx, book)],
		findBlocked: (tx, commands) => findBlocked(tx, settings, commands),
		identities: identitiesOf,
	};
}

/** Opens the engine on connections of its own, planned for its short statements. */
export function openStockEngine(url: string, settings: StockSettings, options: EngineOptions = {}): StockEngine {
	const db: Database = openDatabase(url, {
		max: ENGINE_CONNECTIONS,
		name: "holdfast engine",
		indexPlansOnly: true,
		lockTimeoutMs: MAIN_LOCK_WAIT_MS,
		idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
		answerWithinMs: ANSWER_WITHIN_MS,
		...(settings.durability === undefined ? {} : { durability: settings.durability }),
		onError: (error) => options.onTrouble?.("connection lost", error),
	});
	const engine = createEngine(db, stockSteps(settings), options);
	return {
		execute: (async (command: Command, requester: Requester | null = null) => {
			const answer = await engine.execute(command, requester);
			// only a reserve has the contract's `retry`; the others say the same with a status they do have
			const busy = command.kind !== "reserve" && isRefusal(answer) && answer.refusal === "retry";
			return busy ? { ...answer, refusal: "rate_limited" } : answer;
		}) as StockEngine["execute"],
		drain: engine.drain,
		get waiting() {
			return engine.waiting;
		},
		silentForMs: engine.silentForMs,
		db,
		close: async () => {
			await engine.drain();
			await db.close();
		},
	};
}

/** The same commands inside a transaction of the caller's, all answered before anything is committed. */
export const executeStockIn = (tx: Query, settings: StockSettings, commands: readonly Command[]): Promise<Answer[]> =>
	executeIn(tx, stockSteps(settings), commands);
