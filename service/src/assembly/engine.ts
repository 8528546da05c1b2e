import {
	createEngine,
	ENGINE_CONNECTIONS,
	type EngineOptions,
	executeIn,
	MAIN_LOCK_WAIT_MS,
} from "../ground/engine/engine.ts";
import type { Executes, LastingConflict } from "../ground/engine/kind.ts";
import { LASTING_CONFLICT } from "../ground/engine/lane.ts";
import type { Requester } from "../ground/engine/steps.ts";
import { type Database, openDatabase, type Query } from "../ground/pg/connect.ts";
import type { NumberedWrite } from "../ground/pg/epoch.ts";
import type { SessionOptions } from "../ground/pg/session.ts";
import { type Answer, type COMMANDS, type Command, kindOf } from "./commands.ts";
import { createSteps, type StepSettings } from "./steps.ts";

/** Milliseconds within which the database must answer a statement of a batch; then the connection is given up. */
const ANSWER_WITHIN_MS = 2_500;
/**
 * Milliseconds after which the server ends a transaction that waits for its next statement: a node that vanished inside
 * a batch lets go of its rows.
 */
const IDLE_IN_TRANSACTION_MS = 3_000;

/** What is said of a conflict with another transaction that outlived the deadline. */
const LASTING: { readonly [conflict in LastingConflict]: string } = {
	retry: LASTING_CONFLICT.message,
	hold_race: "The hold changed under this request: send it again.",
	rate_limited: "Another request holds what this one needs. Nothing was done: send it again.",
};

export interface StockSettings extends StepSettings {
	/** Of the engine's own sessions. */
	readonly durability?: SessionOptions["durability"];
}

/** The engine over the rows of all rooms: every command that moves units goes through it. */
export interface StockEngine extends Executes<typeof COMMANDS> {
	/** Resolves when everything submitted is answered. */
	drain(): Promise<void>;
	/** Commands waiting for a batch. */
	readonly waiting: number;
	/** Milliseconds for which the longest attempt under way has lasted. */
	silentForMs(): number;
	/** The engine's own connections, for the question whether they work. */
	readonly db: Database;
	close(): Promise<void>;
}

export interface StockEngineOptions extends EngineOptions {
	/** A command was answered. It is on the way of every request. */
	onAnswer?(command: Command, answer: Answer): void;
}

/** Opens the engine on connections of its own, planned for its short statements. */
export function openStockEngine(url: string, settings: StockSettings, options: StockEngineOptions = {}): StockEngine {
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
	const engine = createEngine(db, createSteps(settings), options);
	return {
		execute: (async (command: Command, requester: Requester | null = null) => {
			const answer = await engine.execute(command, requester);
			if (answer !== LASTING_CONFLICT) {
				options.onAnswer?.(command, answer as Answer);
				return answer;
			}
			const refusal = kindOf(command).conflict ?? "rate_limited";
			return { ...answer, refusal, message: LASTING[refusal] };
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

/**
 * The same commands inside a transaction of the caller's, all answered before anything is committed. `numbered`: takes
 * the writes that the caller sends at the very end of its transaction; absent: this is the end.
 */
export const executeStockIn = (
	tx: Query,
	settings: StockSettings,
	commands: readonly Command[],
	numbered?: NumberedWrite[],
): Promise<Answer[]> => executeIn(tx, createSteps({ ...settings, numbered }), commands);
