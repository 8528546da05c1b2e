import { type Refusal, refuse } from "./refusal.ts";

export interface BatcherLimits<C> {
	/** Commands waiting at most; beyond them a caller is told to come back. */
	readonly maxWaiting: number;
	/** Weight of one batch at most; a single command may weigh more. */
	readonly maxWeight: number;
	/** Batches under way at once. */
	readonly inFlight: number;
	/** Commands that must wait before a batch begins beside one under way; fewer wait for its end. Absent: 1. */
	readonly worthATrip?: number;
	/** How much work a command is, 1 for the lightest; absent: 1 for all. */
	weigh?(command: C): number;
}

/** Seconds a caller waits when the queue is full. */
const FULL_RETRY_AFTER_SECONDS = 1;

export interface Batcher<C, A> {
	/** The command's own answer, or a refusal when too many wait. */
	submit(command: C): Promise<A | Refusal<"rate_limited">>;
	/** Resolves when everything submitted so far is answered. */
	drain(): Promise<void>;
	readonly waiting: number;
}

interface Waiting<C, A> {
	readonly command: C;
	readonly resolve: (answer: A) => void;
	readonly reject: (error: unknown) => void;
}

/**
 * Commands that arrive while a batch is under way form the next one. There is no timer: a lone command starts at once, after
 * the other requests that the same turn of the event loop has read.
 */
export function createBatcher<C, A>(
	limits: BatcherLimits<C>,
	run: (commands: readonly C[]) => Promise<readonly (A | Error)[]>,
): Batcher<C, A> {
	const queue: Queue<C, A> = { waiting: [], running: 0 };
	let scheduled = false;
	let drained: (() => void)[] = [];

	const schedule = (): void => {
		if (scheduled || !mayBegin(queue, limits)) return;
		scheduled = true;
		setImmediate(() => {
			scheduled = false;
			beginBatches();
		});
	};
	const beginBatches = (): void => {
		while (mayBegin(queue, limits)) beginBatch(queue.waiting.splice(0, fitting(queue.waiting, limits)));
	};
	const beginBatch = (batch: readonly Waiting<C, A>[]): void => {
		queue.running++;
		const commands = batch.map(({ command }) => command);
		const ended = (answers: readonly (A | Error)[]): void => {
			queue.running--;
			beginBatches(); // first, so that the database has work while these answers are written
			settle(batch, answers);
			if (!isIdle(queue)) return;
			for (const done of drained) done();
			drained = [];
		};
		run(commands).then(ended, (error: unknown) => ended(commands.map(() => asError(error))));
	};
	return {
		submit(command) {
			if (queue.waiting.length >= limits.maxWaiting) {
				const message = "Too many requests are waiting at this moment. Nothing was done: send it again.";
				return Promise.resolve(refuse("rate_limited", message, FULL_RETRY_AFTER_SECONDS));
			}
			return new Promise<A>((resolve, reject) => {
				queue.waiting.push({ command, resolve, reject });
				schedule();
			});
		},
		drain: () => (isIdle(queue) ? Promise.resolve() : new Promise((resolve) => drained.push(resolve))),
		get waiting() {
			return queue.waiting.length;
		},
	};
}

interface Queue<C, A> {
	readonly waiting: Waiting<C, A>[];
	/** Batches under way. */
	running: number;
}

const isIdle = <C, A>({ running, waiting }: Queue<C, A>): boolean => running === 0 && waiting.length === 0;

function mayBegin<C, A>({ waiting, running }: Queue<C, A>, { inFlight, worthATrip = 1 }: BatcherLimits<C>): boolean {
	if (running === 0) return waiting.length > 0;
	return running < inFlight && waiting.length >= worthATrip;
}

/** How many of those waiting make one batch. */
function fitting<C, A>(waiting: readonly Waiting<C, A>[], { maxWeight, weigh }: BatcherLimits<C>): number {
	if (!weigh) return maxWeight;
	let weight = 0;
	for (const [index, { command }] of waiting.entries()) {
		weight += weigh(command);
		if (weight > maxWeight) return Math.max(1, index);
	}
	return waiting.length;
}

function settle<C, A>(batch: readonly Waiting<C, A>[], answers: readonly (A | Error)[]): void {
	for (const [index, { resolve, reject }] of batch.entries()) {
		const answer = answers[index];
		if (answer instanceof Error) reject(answer);
		else if (answer === undefined) reject(new Error("bug: a command of the batch got no answer"));
		else resolve(answer);
	}
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
