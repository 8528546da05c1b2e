import {
	createEngine,
	ENGINE_CONNECTIONS,
	type EngineOptions,
	executeIn,
	MAIN_LOCK_WAIT_MS,
} from "../ground/engine/engine.ts";
import type { Executes, ExecutesIn, LastingConflict } from "../ground/engine/kind.ts";
import { LASTING_CONFLICT } from "../ground/engine/lasting-conflict.ts";
import type { Requester } from "../ground/engine/steps.ts";
import { type Database, openDatabase, type Query } from "../ground/pg/connect.ts";
import type { NumberedWrite } from "../ground/pg/epoch.ts";
import type { SessionOptions } from "../ground/pg/session.ts";
import type { MoreStock } from "../inventory/stock/needs.ts";
import { type Answer, type COMMANDS, type Command, kindOf } from "./commands.ts";
import { createSteps, type StepSettings } from "./steps.ts";

/** Milliseconds within which the database must answer a statement of a batch; then the connection is closed. */
const ANSWER_WITHIN_MS = 2_500;
/**
 * Milliseconds after which the server ends a transaction that is waiting for its next statement: it frees the rows of a
 * node that disappeared in the middle of a batch.
 */
const IDLE_IN_TRANSACTION_MS = 3_000;

/** The message for a conflict that lasted beyond the deadline. */
const LASTING: { readonly [conflict in LastingConflict]: string } = {
	retry: LASTING_CONFLICT.message,
	hold_race: "The hold changed during this request: send the request again.",
	rate_limited: "Another request has locked what this one needs. Nothing was done: send the request again.",
};

export interface StockSettings extends StepSettings {
	/** For the engine's own sessions. */
	readonly durability?: SessionOptions["durability"];
}

/** The engine over the rows of all rooms. Every command that moves units goes through it. */
export interface StockEngine extends Executes<typeof COMMANDS> {
	/** Resolves when everything submitted has been answered. */
	drain(): Promise<void>;
	/** Commands waiting for a batch. */
	readonly waiting: number;
	/** Milliseconds since the longest attempt under way began. */
	silentForMs(): number;
	/** The engine's own connections, for the readiness check. */
	readonly db: Database;
	close(): Promise<void>;
}

export interface StockEngineOptions extends EngineOptions {
	/** Called for every answered command, in the path of every request. */
	onAnswer?(command: Command, answer: Answer): void;
}

/** Opens the engine on its own connections, with query plans for its short statements. */
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

/** Runs commands of all rooms inside the caller's transaction. */
export interface ExecutesStockIn extends ExecutesIn<typeof COMMANDS> {}

/** The compiler cannot see that a command gets the answer of its own kind, which `kindOf` ensures. */
export const executeStockIn = (settings: StockSettings): ExecutesStockIn =>
	((tx: Query, commands: readonly Command[], more?: MoreStock, numbered?: NumberedWrite[]) =>
		executeIn(tx, createSteps({ ...settings, numbered }), commands, more)) as unknown as ExecutesStockIn;
