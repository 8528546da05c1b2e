import type pg from "pg";
import { createBatcher } from "../lib/batcher.ts";
import { monotonicMs, sleep } from "../lib/clock.ts";
import { type Refusal, refuse } from "../lib/refusal.ts";
import { type Database, inOneWrite, type Query } from "../pg/connect.ts";
import { isConflict, isConnectionLoss } from "../pg/faults.ts";
import { createHandOver, type HandOver } from "../pg/hand-over.ts";
import { PATIENCE_MS, RECONNECT_PAUSE_MS } from "../pg/patience.ts";
import { beginText, CommitNotConfirmed, commit, rolledBack, transactionStatus } from "../pg/transaction.ts";

/** Commands that wait at most; the next caller is told to come back. */
const MAX_WAITING = 10_000;
/** Lines in one batch: enough to share a commit, few enough to keep a batch to some tens of milliseconds. */
const MAX_BATCH_WEIGHT = 512;
/**
 * Batches under way at once. One: commands of a process are decided in the order they came, so that a request repeated after a
 * cut connection never overtakes its first copy; and a second would mostly wait for the rows of the first (measured: no gain).
 */
const BATCHES_IN_FLIGHT = 1;
/** One for the batch, one to ask what became of a commit whose connection was lost. */
export const ENGINE_CONNECTIONS = 2;
/** Commands from which on building the statements takes longer than the writes that one write saves. */
const LARGE_BATCH = 8;
/** Times a batch is run again after a conflict before its commands are run one at a time. */
const MAX_CONFLICTS = 3;
/** Times one command is run again after a conflict before the caller is told `retry`. */
const MAX_CONFLICTS_ALONE = 5;
/** Times a batch begins again because more rows are needed than were locked. */
const MAX_OPENINGS = 8;
/** Milliseconds a connection keeps its plans: those made while a table was small must not outlive its youth. */
const PLANS_LIVE_MS = 1_000;
/** Seconds, for a caller whose conflict survived every retry. */
const RETRY_AFTER_SECONDS = 1;

/** Opening needs more rows than were locked; locking them now could meet another transaction's order, so it begins again. */
export class OpenAgain<M> extends Error {
	readonly more: M;
	constructor(more: M) {
		super("more rows are needed than were locked");
		this.more = more;
	}
}

/** The server may or may not have committed, and cannot be asked. Never told as success. */
export class OutcomeUnknown extends Error {}

/** What the engine runs: load, decide, save. */
export interface Steps<C, A, B, M> {
	/** Locks and reads what the commands need. @throws OpenAgain */
	open(tx: Query, commands: readonly C[], more: M | undefined): Promise<{ book: B; xid: string }>;
	/** Pure: answers one command and changes the book. */
	decide(book: B, command: C): A;
	/**
	 * Asks once more, with every lock held, for what refusals rest on: it may have changed while the batch waited for its locks.
	 * Null: nothing is in doubt. @throws OpenAgain, in the promise
	 */
	doubt(tx: Query, book: B): Promise<void> | null;
	/** How many lines a command is. */
	weigh(command: C): number;
	/** Queues the statements that write the book back. */
	save(tx: Query, book: B): Promise<unknown>[];
}

export interface Engine<C, A> {
	execute(command: C): Promise<A | Refusal<"retry" | "rate_limited">>;
	/** Resolves when everything submitted is answered. */
	drain(): Promise<void>;
	/** Commands waiting for a batch. */
	readonly waiting: number;
}

export interface EngineHooks {
	/** A batch was committed: how many commands, milliseconds it took. */
	onBatch?(commands: number, ms: number): void;
	/** A batch failed and is run again or given up. */
	onTrouble?(what: string, error: unknown): void;
}

/** Commands that arrive together are loaded, decided, saved and committed together; each caller gets its own answer. */
export function createEngine<C, A, B, M>(
	db: Database,
	steps: Steps<C, A, B, M>,
	hooks: EngineHooks = {},
): Engine<C, A> {
	const run = createRunner(db, steps, hooks);
	const batcher = createBatcher<C, A | Refusal<"retry">>(
		{
			maxWaiting: MAX_WAITING,
			maxWeight: MAX_BATCH_WEIGHT,
			inFlight: BATCHES_IN_FLIGHT,
			weigh: steps.weigh,
		},
		run,
	);
	return {
		execute: (command) => batcher.submit(command),
		drain: () => batcher.drain(),
		get waiting() {
			return batcher.waiting;
		},
	};
}

/** The same load, decide and save inside the caller's own transaction; what it must not do halfway, it rolls back itself. */
export async function executeIn<C, A, B, M>(tx: Query, steps: Steps<C, A, B, M>, commands: readonly C[]): Promise<A[]> {
	if (commands.length === 0) return [];
	const { book } = await steps.open(tx, commands, undefined);
	const answers = commands.map((command) => steps.decide(book, command));
	await steps.doubt(tx, book);
	await Promise.all(steps.save(tx, book));
	return answers;
}

type Run<C, A> = (commands: readonly C[]) => Promise<(A | Refusal<"retry"> | Error)[]>;

function createRunner<C, A, B, M>(db: Database, steps: Steps<C, A, B, M>, hooks: EngineHooks): Run<C, A> {
	const connections = createHandOver(db);
	const runTogether = async (commands: readonly C[], maxConflicts: number): Promise<A[]> => {
		const patience = monotonicMs() + PATIENCE_MS;
		let more: M | undefined;
		for (let conflicts = 0, openings = 0; ; ) {
			try {
				return await runOnce({ db, steps, hooks, connections }, commands, more);
			} catch (error) {
				if (error instanceof OpenAgain && ++openings < MAX_OPENINGS) {
					more = error.more as M;
					continue;
				}
				hooks.onTrouble?.("batch rolled back", error);
				if (isConflict(error) && ++conflicts <= maxConflicts) continue;
				if (!isConnectionLoss(error) || monotonicMs() > patience) throw error;
				await sleep(RECONNECT_PAUSE_MS);
			}
		}
	};
	const runAlone = async (command: C): Promise<A | Refusal<"retry"> | Error> => {
		try {
			const [answer] = await runTogether([command], MAX_CONFLICTS_ALONE);
			return answer as A;
		} catch (error) {
			if (isConflict(error) || error instanceof OpenAgain) return refuseConflict();
			return error instanceof Error ? error : new Error(String(error));
		}
	};
	return async (commands) => {
		if (commands.length === 1) return [await runAlone(commands[0] as C)];
		try {
			return await runTogether(commands, MAX_CONFLICTS);
		} catch (error) {
			if (isConnectionLoss(error) || error instanceof OutcomeUnknown) return commands.map(() => error as Error);
			// one of them is at fault: its neighbours must not pay for it
			const answers: (A | Refusal<"retry"> | Error)[] = [];
			for (const command of commands) answers.push(await runAlone(command));
			return answers;
		}
	};
}

const refuseConflict = (): Refusal<"retry"> =>
	refuse("retry", "Another hold took the same units at the same moment: send the request again.", RETRY_AFTER_SECONDS);

interface Means<C, A, B, M> {
	readonly db: Database;
	readonly steps: Steps<C, A, B, M>;
	readonly hooks: EngineHooks;
	readonly connections: HandOver;
}

async function runOnce<C, A, B, M>(
	{ db, steps, hooks, connections }: Means<C, A, B, M>,
	commands: readonly C[],
	more: M | undefined,
): Promise<A[]> {
	const started = monotonicMs();
	const taken = connections.take();
	const client = taken instanceof Promise ? await taken : taken; // no await without need: the batch is to go out now
	let usable = false;
	try {
		const tx = client as unknown as Query;
		forgetOldPlans(client, started);
		const { begun, opened } = inOneWrite(tx, () => ({
			begun: client.query(beginText({})),
			opened: steps.open(tx, commands, more),
		}));
		begun.catch(() => undefined); // its failure fails the statements behind it too
		const { book, xid } = await opened;
		await begun; // answered long ago; without it nothing below would be one transaction
		const answers = commands.map((command) => steps.decide(book, command));
		const send = () => {
			const doubted = steps.doubt(tx, book);
			const saved = Promise.all(steps.save(tx, book));
			return { doubted, saved, committed: doubted === null ? commit(client) : null };
		};
		// a small batch goes out in one write; of a large one the first statement is carried out while the next is still built
		const sent = commands.length < LARGE_BATCH ? inOneWrite(tx, send) : send();
		sent.saved.catch(() => undefined); // read after the doubt
		if (sent.doubted !== null) await sent.doubted; // the server saves meanwhile
		const committed = sent.committed ?? commit(client);
		committed.catch(() => undefined); // read after what was saved
		// COMMIT is under way behind the writes: a connection lost on any of their answers says nothing of it
		const confirmed = sent.saved.then(() => committed);
		usable = await confirm(db, confirmed, xid);
		hooks.onBatch?.(commands.length, monotonicMs() - started);
		return answers;
	} catch (error) {
		usable = !isConnectionLoss(error) && (await rolledBack(client));
		throw error;
	} finally {
		connections.giveBack(client, usable);
	}
}

const plansMadeAt = new WeakMap<pg.PoolClient, number>();

/** Prepared statements keep their plans until told otherwise; telling costs a millisecond or two, once a second under load. */
function forgetOldPlans(client: pg.PoolClient, now: number): void {
	const since = plansMadeAt.get(client);
	if (since !== undefined && now - since < PLANS_LIVE_MS) return;
	plansMadeAt.set(client, now);
	if (since !== undefined) client.query("discard plans").catch(() => undefined); // its failure fails BEGIN too
}

/**
 * A lost connection during COMMIT says nothing of the transaction; the server, once back, knows by its id. Returns, committed,
 * whether the connection is still good.
 */
async function confirm(db: Database, confirmed: Promise<void>, xid: string): Promise<boolean> {
	try {
		await confirmed;
		return true;
	} catch (error) {
		// done here, perhaps not on the standby: running it again would do it twice
		if (error instanceof CommitNotConfirmed) throw new OutcomeUnknown(error.message);
		if (!isConnectionLoss(error)) throw error;
		const status = await fateOf(db, xid);
		if (status === "committed") return false;
		if (status === "aborted") throw error; // a connection loss: the batch is run again
		throw new OutcomeUnknown(`the connection was lost during COMMIT and the server says ${status ?? "nothing"}`);
	}
}

async function fateOf(db: Database, xid: string): Promise<string | null> {
	const patience = monotonicMs() + PATIENCE_MS;
	for (;;) {
		try {
			const status = await transactionStatus(db, xid);
			if (status !== "in progress" || monotonicMs() > patience) return status;
		} catch (error) {
			if (!isConnectionLoss(error) || monotonicMs() > patience) return null;
		}
		await sleep(RECONNECT_PAUSE_MS);
	}
}
