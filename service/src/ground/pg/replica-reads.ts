import { monotonicMs, PROCESS_TIMERS } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { beginOnReplica, createWriteBeat, selectEvidence, type WriteBeat } from "./beat.ts";
import { rolledBack } from "./commit.ts";
import { type Database, openDatabase, type Query } from "./connect.ts";
import type { Epoch } from "./epoch.ts";
import { AnswerTooLate, isConnectionLoss, PoolBusy, ReplicaBehind } from "./faults.ts";
import { createFloors } from "./floors.ts";
import { ABOUT_UNFIT, type Beat, judgeReplica, type ReplicaEvidence, type Unfit } from "./judge-replica.ts";
import { isOnReplica, type ListSource, REPLICAS, type ReadSource, type Reads, type ReplicaState } from "./reads.ts";
import { snapshot } from "./transaction.ts";

/** Milliseconds to wait for a connection to the replica. Nothing waits while it is known to be away. */
const CONNECT_WITHIN_MS = 1_000;
/** Milliseconds within which the replica must answer a read. */
const ANSWER_WITHIN_MS = 2_500;
/** Milliseconds within which the replica must return its evidence. */
const EVIDENCE_WITHIN_MS = 500;
/** Milliseconds for which the last look counts. Looks follow each other by LOOK_EVERY_MS of tasks.ts. */
const LOOK_LASTS_MS = 2_500;
/** Milliseconds after which a beat is written for a reader that has seen more than the last one shows. */
const EARLY_BEAT_MS = 50;
/**
 * Milliseconds for which a beat is remembered, so that a lagging replica can be distinguished from an unrelated one.
 */
const BEAT_KEPT_MS = 60_000;

/** The replica must not answer this read. */
export class ReplicaUnfit extends Error {
	override readonly name = "ReplicaUnfit";
	readonly why: Unfit;
	constructor(why: Unfit) {
		super(`the replica cannot be used: ${ABOUT_UNFIT[why][0]}`);
		this.why = why;
	}
}

export interface ReplicaOptions {
	readonly primary: Database;
	/** Address of the replica. */
	readonly url: string;
	/** Maximum number of connections to it. */
	readonly max: number;
	/** The epochs of all lists that are read here. */
	readonly epochs: readonly Epoch[];
	readonly log: Pick<Log, "info" | "warn">;
}

export function openReads({ primary, url, max, epochs, log }: ReplicaOptions): Reads {
	const db = openDatabase(url, {
		max: max + 1, // and one for looks
		name: "holdfast replica reads",
		indexPlansOnly: true,
		answerWithinMs: ANSWER_WITHIN_MS,
		connectWithinMs: CONNECT_WITHIN_MS,
	});
	return new ReplicaReads(db, primary, { url, log, writeBeat: createWriteBeat(epochs) });
}

interface Means {
	readonly url: string;
	readonly log: Pick<Log, "info" | "warn">;
	readonly writeBeat: WriteBeat;
}

class ReplicaReads implements Reads {
	readonly #db: Database;
	readonly #primary: Database;
	readonly #means: Means;
	readonly #nodeId = newId();
	readonly #beats = new Map<string, Beat>();
	readonly #floors = createFloors();
	readonly #counts = new Map<Unfit | "replica", number>();
	#primaryTimeline: number | null = null;
	/** The beat that is being written, if there is one: one after the other, so that none replaces a later one. */
	#beating: Promise<void> = Promise.resolve();
	/** The latest beat that the replica has shown. */
	#shown: Beat | null = null;
	#unfit: Unfit | null = "away";
	/** Cancels the beat that is to be written early; null: there is none. */
	#cancelEarly: (() => void) | null = null;
	/** When the last look that found it fit ended; monotonic milliseconds. */
	#foundAt = Number.NEGATIVE_INFINITY;
	/** The reason that was logged last; undefined: none was. */
	#told: Unfit | null | undefined;
	#isClosed = false;

	constructor(db: Database, primary: Database, means: Means) {
		this.#db = db;
		this.#primary = primary;
		this.#means = means;
	}

	async read<T>(owners: readonly string[], work: (on: Query) => Promise<T>): Promise<T> {
		const why = this.#known();
		if (why === null) {
			try {
				const { value, beat } = await this.#onReplica(owners, work);
				this.#floors.raise(owners, beat.sentAt);
				this.#count("replica");
				return value;
			} catch (error) {
				const failure = unfitOf(error);
				if (!PASSES.has(failure)) this.#unfit = failure;
				this.#count(failure);
			}
		} else this.#count(why);
		const value = await work(this.#primary);
		this.#raise(owners);
		return value;
	}

	forOwner(owner: string): ListSource {
		return {
			query: (text, values) => this.read([owner], (on) => on.query(text, values)) as never,
			snapshot: (work) => this.read([owner], (on) => (isOnReplica(on) ? work(on) : snapshot(this.#primary, work))),
		};
	}

	follow(owner: string): void {
		this.#raise([owner]);
	}

	/** These owners may have seen everything up to now. The next beat shows it on the replica, and is written soon. */
	#raise(owners: readonly string[]): void {
		this.#floors.raise(owners, monotonicMs());
		if (this.#cancelEarly !== null || this.#known() !== null || this.#isClosed) return;
		this.#cancelEarly = PROCESS_TIMERS.after(EARLY_BEAT_MS, () => {
			this.#cancelEarly = null;
			this.#beat().catch(() => undefined); // the task writes the next one, and reports its failure
		});
	}

	#beat(): Promise<void> {
		this.#beating = this.#beating.catch(() => undefined).then(() => this.#writeBeat());
		return this.#beating;
	}

	async #writeBeat(): Promise<void> {
		const beat = { stamp: newId(), sentAt: monotonicMs() };
		this.#beats.set(beat.stamp, beat); // before it is sent: the replica may show it before the primary replies
		for (const { stamp, sentAt } of this.#beats.values()) {
			if (sentAt < beat.sentAt - BEAT_KEPT_MS) this.#beats.delete(stamp);
		}
		this.#primaryTimeline = await this.#means.writeBeat(this.#primary, this.#nodeId, beat.stamp);
	}

	source(owner: string): ReadSource | null {
		if (this.#known() !== null) return null;
		return {
			url: this.#means.url,
			confirm: async (snapshot) => {
				this.#judge(await selectEvidence(snapshot, this.#nodeId), this.#floors.of([owner]));
			},
		};
	}

	async look(): Promise<void> {
		await this.#beat();
		try {
			await this.#onReplica([], () => Promise.resolve());
			this.#foundAt = monotonicMs();
			this.#unfit = null;
		} catch (error) {
			this.#unfit = unfitOf(error);
		}
		this.#tell();
	}

	state(): ReplicaState {
		const lagMs = this.#shown === null ? null : monotonicMs() - this.#shown.sentAt;
		return { unfit: this.#known(), lagMs, counts: this.#counts };
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		this.#cancelEarly?.();
		await this.#db.close();
	}

	/** Why the replica is not asked; null: it is. */
	#known(): Unfit | null {
		return this.#unfit ?? (monotonicMs() - this.#foundAt > LOOK_LASTS_MS ? "away" : null);
	}

	/** @throws ReplicaUnfit */
	async #onReplica<T>(
		owners: readonly string[],
		work: (on: Query) => Promise<T>,
	): Promise<{ readonly value: T; readonly beat: Beat }> {
		const floor = this.#floors.of(owners);
		const client = await this.#db.take();
		const tx = client as unknown as Query;
		REPLICAS.add(client);
		let lost = true;
		try {
			const evidence = await inTime(beginOnReplica(tx, this.#nodeId));
			lost = false;
			const beat = this.#judge(evidence, floor);
			return { value: await work(tx), beat };
		} catch (error) {
			lost ||= isConnectionLoss(error);
			throw error;
		} finally {
			if (lost) client.release(true);
			else void rolledBack(client).then((ended) => client.release(!ended)); // the reply need not wait for it
		}
	}

	/** @throws ReplicaUnfit */
	#judge(evidence: ReplicaEvidence, floor: number): Beat {
		const shown = evidence.stamp === null ? undefined : this.#beats.get(evidence.stamp);
		if (shown !== undefined && shown.sentAt > (this.#shown?.sentAt ?? 0)) this.#shown = shown;
		const known = { beats: this.#beats, primaryTimeline: this.#primaryTimeline, now: monotonicMs(), floor };
		const judged = judgeReplica(evidence, known);
		if (typeof judged === "string") throw new ReplicaUnfit(judged);
		return judged;
	}

	#count(outcome: Unfit | "replica"): void {
		this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
	}

	/** Logs each change once. */
	#tell(): void {
		if (this.#unfit === this.#told) return;
		this.#told = this.#unfit;
		if (this.#unfit === null) this.#means.log.info("the replica answers reads");
		else this.#means.log.warn(`the primary answers all reads, because of the replica: ${ABOUT_UNFIT[this.#unfit][0]}`);
	}
}

/** Reasons that concern one read, and say nothing about the next. */
const PASSES: ReadonlySet<Unfit> = new Set(["behind", "busy", "failed"]);

function unfitOf(error: unknown): Unfit {
	if (error instanceof ReplicaUnfit) return error.why;
	if (error instanceof ReplicaBehind) return "behind";
	if (error instanceof PoolBusy) return "busy";
	return isConnectionLoss(error) ? "away" : "failed"; // the server may end a read that is in the way of its replay
}

/** Rejects if the replica does not say in time what it is. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
	const late = Promise.withResolvers<never>();
	const forget = PROCESS_TIMERS.after(EVIDENCE_WITHIN_MS, () => late.reject(new AnswerTooLate("no evidence in time")));
	try {
		return await Promise.race([answer, late.promise]);
	} finally {
		forget();
		answer.catch(() => undefined); // after a late answer, nobody waits for it
	}
}
