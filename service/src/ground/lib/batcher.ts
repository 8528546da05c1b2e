import { asError } from "./assert.ts";
import { monotonicMs } from "./clock.ts";
import { createFairQueue, type FairQueue } from "./fair-queue.ts";
import { type Refusal, refuse } from "./refusal.ts";

export interface BatcherLimits<C> {
	/** Maximum number of waiting commands; further ones are refused. Absent: MAX_WAITING. */
	readonly maxWaiting?: number;
	/** Maximum number of waiting commands of one owner. Absent: MAX_WAITING_OF_ONE. */
	readonly maxWaitingOfOne?: number;
	/** Maximum weight of one batch; a single command may weigh more. */
	readonly maxWeight: number;
	/** Maximum weight of one owner in a batch while another is waiting. */
	readonly maxShare: number;
	/** Maximum number of batches that run at the same time. */
	readonly inFlight: number;
	/**
	 * Number of commands that must wait before a batch starts beside a running one; fewer wait until that one ends.
	 * Absent: 1.
	 */
	readonly worthATrip?: number;
	/** The cost of a command, 1 for the lightest; absent: 1 for all. */
	weigh?(command: C): number;
	/** The owner of a command: owners get fair shares of each batch. Absent: one owner for all. */
	owner?(command: C): string;
}

const MAX_WAITING = 10_000;
const MAX_WAITING_OF_ONE = 2_500;
const RETRY_AFTER_SECONDS = 1;

/** The answer to a command that finds too many others waiting, or whose turn does not come in time. */
export const TOO_MANY_WAIT = refuse(
	"rate_limited",
	"Too many requests are waiting at this moment. Nothing was done: send the request again.",
	RETRY_AFTER_SECONDS,
);

export interface Batcher<C, A> {
	/** The command's own answer, or a refusal if too many wait. */
	submit(command: C): Promise<A | Refusal<"rate_limited">>;
	/** Resolves when all commands submitted so far are answered. */
	drain(): Promise<void>;
	readonly waiting: number;
}

interface Waiting<C, A> {
	readonly command: C;
	readonly resolve: (answer: A | PromiseLike<A>) => void;
	readonly reject: (error: unknown) => void;
}

/** An answer, an error of that command alone, or the promise of an answer that the other commands do not wait for. */
export type Settled<A> = A | Error | Promise<A>;

/**
 * Commands that arrive while a batch is running form the next one. There is no timer: a command that need not wait
 * for a batch starts in the same turn of the event loop, together with those of the other requests read in that turn.
 */
export function createBatcher<C, A>(
	limits: BatcherLimits<C>,
	run: (commands: readonly C[]) => Promise<readonly Settled<A>[]>,
): Batcher<C, A> {
	const { maxWaiting = MAX_WAITING, maxWaitingOfOne = MAX_WAITING_OF_ONE, maxWeight, maxShare } = limits;
	const queue: FairQueue<Waiting<C, A>> = createFairQueue();
	let running = 0;
	let scheduled = false;
	let drained: (() => void)[] = [];

	const schedule = (): void => {
		if (scheduled || !mayBegin(queue.size, running, limits)) return;
		scheduled = true;
		setImmediate(() => {
			scheduled = false;
			beginBatches();
		});
	};
	const beginBatches = (): void => {
		while (mayBegin(queue.size, running, limits)) beginBatch(queue.take(maxWeight, maxShare, monotonicMs()));
	};
	const beginBatch = (batch: readonly Waiting<C, A>[]): void => {
		running++;
		const commands = batch.map(({ command }) => command);
		const ended = (answers: readonly Settled<A>[]): void => {
			running--;
			beginBatches(); // first, so that the database works while these answers are written
			answerAll(batch, answers);
			if (running > 0 || queue.size > 0) return;
			for (const done of drained) done();
			drained = [];
		};
		run(commands).then(ended, (error: unknown) => ended(commands.map(() => asError(error))));
	};
	return {
		submit(command) {
			const owner = limits.owner?.(command) ?? "";
			if (queue.size >= maxWaiting || queue.waitingOf(owner) >= maxWaitingOfOne) return Promise.resolve(TOO_MANY_WAIT);
			return new Promise<A>((resolve, reject) => {
				queue.push(owner, limits.weigh?.(command) ?? 1, { command, resolve, reject }, monotonicMs());
				schedule();
			});
		},
		drain: () =>
			running === 0 && queue.size === 0 ? Promise.resolve() : new Promise((resolve) => drained.push(resolve)),
		get waiting() {
			return queue.size;
		},
	};
}

function mayBegin<C>(waiting: number, running: number, { inFlight, worthATrip = 1 }: BatcherLimits<C>): boolean {
	if (running === 0) return waiting > 0;
	return running < inFlight && waiting >= worthATrip;
}

function answerAll<C, A>(batch: readonly Waiting<C, A>[], answers: readonly Settled<A>[]): void {
	for (const [index, { resolve, reject }] of batch.entries()) {
		const answer = answers[index];
		if (answer instanceof Error) reject(answer);
		else if (answer === undefined) reject(new Error("bug: a command of the batch got no answer"));
		else resolve(answer);
	}
}
