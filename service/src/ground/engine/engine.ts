import { createBatcher } from "../lib/batcher.ts";
import { monotonicMs } from "../lib/clock.ts";
import { NO_PRIMARY } from "../lib/no-primary.ts";
import type { Refusal } from "../lib/refusal.ts";
import type { Database, Query } from "../pg/connect.ts";
import type { Answered, Means } from "./batch.ts";
import { createHandOver } from "./hand-over.ts";
import { createKnownLocks } from "./known-locks.ts";
import { createLane, type Lane } from "./lane.ts";
import type { EngineHooks, Pending, Requester, Steps } from "./steps.ts";

/** Maximum lines in one batch: enough to share a commit, few enough to keep a batch to some tens of milliseconds. */
const MAX_BATCH_WEIGHT = 512;
/** Maximum lines of one requester in a batch while another waits, so that the other waits for a short batch. */
const MAX_SHARE = 128;
/**
 * Maximum number of a lane's batches that run at the same time. With one, a key's commands are decided in the order
 * they came, so a request repeated after a lost connection never overtakes its first copy. A second batch would
 * mostly wait for the rows of the first (measured: no gain).
 */
const BATCHES_IN_FLIGHT = 1;
/**
 * Connections: each lane uses one for batches and one to query lost commits or locked rows; readiness checks use two.
 */
export const ENGINE_CONNECTIONS = 6;
/** Milliseconds that the main lane waits for a locked row: well above the time that another node's batch holds one. */
export const MAIN_LOCK_WAIT_MS = 250;
/** The same while locks of other programs are known: a further lock is likely, and every requester waits for it. */
const WARY_LOCK_WAIT_MS = 25;
/** Milliseconds after a command's arrival during which an attempt to run it may begin. */
const COMMAND_DEADLINE_MS = 5_000;

export interface Engine<C, A> {
	/** `requester` null: the operator, or the service itself. */
	execute(command: C, requester?: Requester | null): Promise<EngineAnswer<A>>;
	/** Resolves when all submitted commands are answered. */
	drain(): Promise<void>;
	/** Commands waiting for a batch. */
	readonly waiting: number;
	/** Age of the oldest running attempt, in milliseconds; 0 if none is running. */
	silentForMs(): number;
}

/** `retry`: a conflict with another transaction outlasted the command's deadline. */
export type EngineAnswer<A> = Answered<A> | Refusal<"retry" | "rate_limited">;

export interface EngineOptions extends EngineHooks {
	/** Milliseconds after a command's arrival during which an attempt may begin; absent: COMMAND_DEADLINE_MS. */
	readonly deadlineMs?: number;
	/** Milliseconds that the main lane waits for a locked row; absent: MAIN_LOCK_WAIT_MS. */
	readonly lockWaitMs?: number;
}

/**
 * Commands that arrive together are loaded, decided, saved and committed together; each caller gets its own answer. A
 * command that needs a row which another transaction keeps locked moves from the main lane to the side lane, so that
 * only it waits.
 */
export function createEngine<C, A, B, M>(
	db: Database,
	steps: Steps<C, A, B, M>,
	options: EngineOptions = {},
): Engine<C, A> {
	const { deadlineMs = COMMAND_DEADLINE_MS, lockWaitMs = MAIN_LOCK_WAIT_MS } = options;
	const means: Means<C, A, B, M> = { db, steps, hooks: options, connections: createHandOver(db), underWay: new Set() };
	const locks = createKnownLocks(steps.identities);
	const limits = {
		maxWeight: MAX_BATCH_WEIGHT,
		maxShare: MAX_SHARE,
		inFlight: BATCHES_IN_FLIGHT,
		weigh: ({ command }: Pending<C>) => steps.weigh(command),
		owner: ({ requester }: Pending<C>) => requester?.caller.keyId ?? "",
	};
	const queue = (lane: Lane<C, A>) =>
		createBatcher<Pending<C>, EngineAnswer<A>>(limits, (pending) => lane.run(pending));
	const side = queue(
		createLane(means, {
			deadlineMs,
			lockWaitMs: () => lockWaitMs,
			setAside: (one) => toSide(one),
			locks,
			checksLocks: true,
		}),
	);
	const toSide = (one: Pending<C>): Promise<EngineAnswer<A>> => locks.waitingAside(one.command, side.submit(one));
	const main = queue(
		createLane(means, {
			deadlineMs,
			lockWaitMs: (again) => (locks.any() && !again ? WARY_LOCK_WAIT_MS : lockWaitMs),
			setAside: toSide,
			locks,
			belongsAside: (one) => locks.concerns(one.command),
		}),
	);
	return {
		execute: (command, requester = null) =>
			options.lacksPrimary?.()
				? Promise.resolve(NO_PRIMARY)
				: main.submit({ command, requester, arrivedAt: monotonicMs(), trouble: null }),
		async drain() {
			await main.drain(); // only the main lane fills the side lane
			await locks.nobodyWaits();
		},
		get waiting() {
			return main.waiting + locks.waiting;
		},
		silentForMs() {
			const now = monotonicMs();
			return Math.max(0, ...[...means.underWay].map(({ since }) => now - since));
		},
	};
}

/**
 * Loads, decides and saves in the same way, but in the caller's transaction. If this throws (NeedsMoreLocks too), the
 * caller must roll back. `more`: the rows to lock that the NeedsMoreLocks of an earlier attempt named.
 */
export async function executeIn<C, A, B, M>(
	tx: Query,
	steps: Steps<C, A, B, M>,
	commands: readonly C[],
	more?: M,
): Promise<A[]> {
	if (commands.length === 0) return [];
	const book = await steps.open(tx, commands, null, more);
	const answers = commands.map((command) => steps.decide(book, command));
	await steps.recheck(tx, book);
	await Promise.all(steps.save(tx, book));
	return answers;
}
