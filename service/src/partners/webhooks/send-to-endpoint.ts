import type { KeyObject } from "node:crypto";
import { asError } from "../../ground/lib/assert.ts";
import { monotonicMs, PROCESS_TIMERS, sleep } from "../../ground/lib/clock.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { type CountedAttempt, type Due, type Judged, writtenOf } from "./judged.ts";
import { LOOK_AT, MAX_POSTS, MAX_POSTS_FAILING, MOST_JUDGED } from "./limits.ts";
import { type EndpointEnd, noteEnd } from "./notice.ts";
import { judge, type PostOutcome, type SendingPolicy } from "./policy.ts";
import type { Poster } from "./post.ts";
import { type SealedSecret, signingKeyOf } from "./secret.ts";
import {
	deactivate,
	dropForInactive,
	dueOf,
	endLease,
	endLeaseWhenDone,
	extendLease,
	readDue,
	recordAttempts,
	signingSecrets,
	takeLease,
} from "./send-sql.ts";
import { signedHeaders } from "./sign.ts";

/** Milliseconds after which another sender may take over an endpoint whose sender fell silent. */
const LEASE_MS = 30_000;
/**
 * Milliseconds after the last proof of the lease within which a post may start, so that it ends before the lease
 * does.
 */
const FRESH_MS = 10_000;
/** Milliseconds after which the lease is renewed, if no attempt was recorded meanwhile. */
const KEEP_EVERY_MS = 3_000;
/** Number of attempts that are recorded together, and milliseconds that fewer wait for running posts. */
const WRITE_TOGETHER = 64;
const GATHER_MS = 5;
/** Milliseconds after which an endpoint gives its place to a waiting one. */
const TURN_MS = 5_000;
/** Milliseconds between two attempts to record results, and until recording fails. */
const WRITE_AGAIN_MS = 500;
const WRITE_WITHIN_MS = 20_000;

export interface SenderDeps {
	readonly db: Database;
	readonly poster: Poster;
	readonly policy: SendingPolicy;
	readonly open: (secrets: readonly SealedSecret[]) => readonly string[];
	/** A random number from 0 to below 1. */
	readonly draw: () => number;
	/** One attempt ended. */
	readonly count: (outcome: PostOutcome, attempt: CountedAttempt) => void;
	/** Notifies the operator; called once the change is recorded. */
	readonly tell: (end: EndpointEnd) => void;
	/** Whether another endpoint waits for this one's place. */
	readonly othersWait: () => boolean;
	readonly mails: boolean;
	/** Aborted: no further post starts. */
	readonly stopping: AbortSignal;
	/** Aborted: running posts are abandoned. */
	readonly abort: AbortSignal;
}

/** A statement that takes or extends the lease of an endpoint. */
type Claim = (client: Query) => Promise<unknown>;

/** How a sender ended. `unsigned`: no secret of the endpoint can be opened. */
export type SenderEnd = "done" | "busy" | "unsigned" | "gave_way";

/** The only sender to one endpoint: several posts at a time, until no delivery is due. */
export interface Sender {
	/** Call once. @throws if the database fails for too long; unrecorded deliveries are sent again */
	run(): Promise<SenderEnd>;
	/** More deliveries are, or may be, due. */
	wake(): void;
	/** Whether the sender was woken after its last poll. */
	readonly wokenSince: boolean;
	/** Whether the last attempt failed. */
	readonly failing: boolean;
}

/** `id` identifies this sender in the database; after another has taken over, its writes have no effect. */
export const sendToEndpoint = (deps: SenderDeps, endpointId: string, id: string): Sender =>
	new OneSender(deps, endpointId, id);

class OneSender implements Sender {
	readonly #deps: SenderDeps;
	readonly #endpointId: string;
	readonly #id: string;
	readonly #begunAt = monotonicMs();
	#queue: Due[] = [];
	/** Numbers of events from their poll until their result is recorded. */
	readonly #inProgress = new Set<number>();
	#judged: Judged[] = [];
	#writing: Promise<void> | null = null;
	#looking: Promise<void> | null = null;
	/** The write in progress; if it fails, the sender ends. */
	#recording: Promise<void> | null = null;
	/** Loops that post one delivery after another. */
	#loops = 0;
	/** Running posts. */
	#posts = 0;
	/** Ends the wait for more attempts to record; null if nothing waits. */
	#gathered: (() => void) | null = null;
	#again = false;
	/** The last poll read everything that was due: from then on, only a wake-up brings more. */
	#sawAll = false;
	#over = false;
	#unsigned = false;
	#failure: Error | null = null;
	#url = "";
	#version = 0; // of the endpoint's last change that was read
	#keys: readonly KeyObject[] = [];
	/** When the queue was read, and the lease last confirmed; both taken before the query was sent. */
	#lookedAt = Number.NEGATIVE_INFINITY;
	#leaseConfirmedAt = Number.NEGATIVE_INFINITY;
	/** The database's clock minus ours; milliseconds. */
	#clockOffset = 0;
	/** By our clock; null: it is not failing. */
	#failingSince: number | null = null;
	#warned = false;
	#ended = Promise.withResolvers<void>();

	constructor(deps: SenderDeps, endpointId: string, id: string) {
		this.#deps = deps;
		this.#endpointId = endpointId;
		this.#id = id;
	}

	get failing(): boolean {
		return this.#failingSince !== null;
	}

	wake(): void {
		this.#again = true;
		if (!this.#over && this.#loops > 0) this.#startLoops();
	}

	get wokenSince(): boolean {
		return this.#again;
	}

	async run(): Promise<SenderEnd> {
		const { db } = this.#deps;
		let leaseEnded = false;
		try {
			const taken = await this.#takeLease();
			if (taken === "busy") {
				leaseEnded = true;
				return "busy";
			}
			if (taken === "inactive") await dropForInactive(db, [this.#endpointId, this.#id]);
			else {
				while (!leaseEnded && !this.#mayNotBegin()) {
					await this.#sendAll();
					if (!this.#mayNotBegin()) leaseEnded = await this.#endLeaseWhenDone();
				}
			}
		} finally {
			this.#over = true;
			// if even this fails, the lease expires
			if (!leaseEnded) await endLease(db, [this.#endpointId, this.#id]).catch(() => undefined);
		}
		if (this.#unsigned) return "unsigned";
		return !leaseEnded && this.#mustGiveWay() ? "gave_way" : "done";
	}

	/** Takes the lease and reads the due deliveries, in one round trip. */
	async #takeLease(): Promise<"taken" | "busy" | "inactive"> {
		let taken: Awaited<ReturnType<typeof takeLease>> = [];
		await this.#look(async (client) => {
			taken = await takeLease(client, [this.#endpointId, this.#id, LEASE_MS]);
		});
		const [first] = taken;
		if (first === undefined) return "busy";
		return first[0] ? "taken" : "inactive";
	}

	/** False: more is due by now, and the lease is kept. */
	async #endLeaseWhenDone(): Promise<boolean> {
		this.#sawAll = false;
		return (await endLeaseWhenDone(this.#deps.db, [this.#endpointId, this.#id])).length > 0;
	}

	async #sendAll(): Promise<void> {
		do {
			this.#ended = Promise.withResolvers<void>();
			this.#startLoops();
			await this.#ended.promise;
			await this.#written();
			if (this.#failure !== null) throw this.#failure;
		} while (this.#again && !this.#mayNotBegin());
	}

	#mayNotBegin(): boolean {
		return this.#over || this.#deps.stopping.aborted || this.#mustGiveWay();
	}

	#startLoops(): void {
		const most = this.failing ? MAX_POSTS_FAILING : MAX_POSTS;
		while (this.#loops < most) {
			this.#loops++;
			void this.#postInTurn().finally(() => {
				if (--this.#loops === 0) this.#ended.resolve();
			});
		}
	}

	async #postInTurn(): Promise<void> {
		try {
			for (let due = await this.#next(); due !== null; due = await this.#next()) await this.#attempt(due);
		} catch (error) {
			this.#fail(error);
		}
	}

	/** Starts nothing more; running posts end, and then the failure is thrown. */
	#fail(error: unknown): void {
		this.#over = true;
		this.#failure ??= asError(error);
	}

	#mustGiveWay(): boolean {
		return monotonicMs() - this.#begunAt > TURN_MS && this.#deps.othersWait();
	}

	async #next(): Promise<Due | null> {
		for (;;) {
			if (this.#mayNotBegin()) return null;
			if (this.failing && this.#loops > MAX_POSTS_FAILING) return null;
			const now = monotonicMs();
			if (now - this.#lookedAt > FRESH_MS || now - this.#leaseConfirmedAt > KEEP_EVERY_MS) this.#forgetQueue();
			const due = this.#queue.shift();
			if (due !== undefined) return due;
			if (this.#sawAll && !this.#again) return null;
			this.#again = false;
			this.#looking ??= this.#look().finally(() => {
				this.#looking = null;
			});
			await this.#looking;
			if (this.#queue.length === 0 && !this.#again) return null;
		}
	}

	#forgetQueue(): void {
		for (const { seq } of this.#queue) this.#inProgress.delete(seq);
		this.#queue = [];
		this.#sawAll = false;
	}

	/** `claim`: sent before the read; it takes the lease. */
	async #look(claim?: Claim): Promise<void> {
		const { db, open } = this.#deps;
		const inProgress = `{${[...this.#inProgress].join(",")}}`;
		const begunAt = monotonicMs();
		const extend: Claim = (client) => extendLease(client, [this.#endpointId, this.#id, LEASE_MS]);
		const leases = claim ?? (begunAt - this.#leaseConfirmedAt > KEEP_EVERY_MS ? extend : null);
		const [, rows, sealed] = await db.onOne((client: Query) =>
			Promise.all([
				leases?.(client),
				readDue(client, [this.#endpointId, this.#id, inProgress, LOOK_AT]),
				signingSecrets(client, this.#endpointId),
			]),
		);
		const [first] = rows;
		if (first === undefined) {
			this.#over = true;
			return;
		}
		const [url, version, now, failingForMs, warned] = first;
		this.#lookedAt = begunAt;
		if (leases !== null) this.#leaseConfirmedAt = begunAt;
		this.#sawAll = rows.length < LOOK_AT;
		this.#clockOffset = now - monotonicMs();
		if (url !== this.#url || (this.#judged.length === 0 && this.#writing === null)) {
			this.#failingSince = failingForMs === null ? null : monotonicMs() - failingForMs;
			this.#warned = warned;
		}
		this.#url = url;
		this.#version = version;
		this.#keys = open(sealed).map(signingKeyOf);
		for (const due of rows.map(dueOf)) {
			if (due === null || this.#inProgress.has(due.seq)) continue;
			this.#inProgress.add(due.seq);
			this.#queue.push(due);
		}
		if (this.#queue.length === 0 || this.#keys.length > 0) return;
		this.#unsigned = true;
		this.#over = true;
	}

	async #attempt(due: Due): Promise<void> {
		const { poster, policy, draw, abort, count } = this.#deps;
		const { eventId, body, failures } = due;
		const url = this.#url;
		const timestamp = Math.floor((monotonicMs() + this.#clockOffset) / 1_000);
		const headers = signedHeaders({ eventId, timestamp, body }, this.#keys);
		this.#posts++;
		const posted = await poster.post({ owner: this.#endpointId, url, headers, body }, abort);
		this.#posts--;
		if (abort.aborted && posted.outcome.kind === "no_answer") return; // it may have arrived, and is sent again
		const endedAt = monotonicMs();
		const failingForMs = this.#failingSince === null ? null : endedAt - this.#failingSince;
		const verdict = judge(policy, posted.outcome, { failures, failingForMs, warned: this.#warned }, draw());
		if (verdict.delivery.to === "delivered") {
			this.#failingSince = null;
			this.#warned = false;
		} else this.#failingSince ??= endedAt;
		if (verdict.warn) this.#warned = true;
		if (verdict.deactivate !== null) this.#over = true; // in this turn, so that no other post starts
		count(posted.outcome, { endpointId: this.#endpointId, to: verdict.delivery.to, ms: posted.durationMs });
		this.#judged.push({ ...due, url, posted, verdict, endedAt });
		this.#writing ??= this.#write()
			.catch((error: unknown) => this.#fail(error))
			.finally(() => {
				this.#writing = null;
			});
		if (this.#isGathered()) this.#gathered?.();
		while (this.#judged.length >= MOST_JUDGED && this.#recording !== null) await this.#recording;
	}

	/** Resolves when all judged attempts are recorded or abandoned. */
	async #written(): Promise<void> {
		while (this.#writing !== null) await this.#writing;
	}

	/** Whether the judged attempts should be recorded now. Each write is a commit, for one attempt or many. */
	#isGathered(): boolean {
		const noneUnderWay = this.#posts === 0 && this.#queue.length === 0;
		return this.#over || noneUnderWay || this.#judged.length >= WRITE_TOGETHER;
	}

	/** Resolves when enough attempts are judged, no more are running, or a moment has passed. */
	#gather(): Promise<void> {
		if (this.#isGathered()) return Promise.resolve();
		return new Promise((resolve) => {
			const end = (): void => {
				callOff();
				this.#gathered = null;
				resolve();
			};
			const callOff = PROCESS_TIMERS.after(GATHER_MS, end);
			this.#gathered = end;
		});
	}

	/** Records judged attempts until none is left. */
	async #write(): Promise<void> {
		while (this.#judged.length > 0) {
			await this.#gather();
			const judged = this.#judged;
			this.#judged = [];
			this.#recording = this.#record(judged);
			await this.#recording;
			for (const { seq } of judged) this.#inProgress.delete(seq);
		}
	}

	async #record(judged: readonly Judged[]): Promise<void> {
		const giveUpAt = monotonicMs() + WRITE_WITHIN_MS;
		for (;;) {
			try {
				return await this.#recordOnce(judged);
			} catch (error) {
				if (monotonicMs() > giveUpAt || this.#deps.abort.aborted) throw error;
				await sleep(WRITE_AGAIN_MS, this.#deps.abort);
			}
		}
	}

	async #recordOnce(judged: readonly Judged[]): Promise<void> {
		const { db, mails, tell } = this.#deps;
		const ending = judged.findLast(({ verdict }) => verdict.deactivate !== null);
		const reason = ending?.verdict.deactivate ?? null;
		const warn = judged.some(({ verdict }) => verdict.warn);
		const now = monotonicMs();
		const { rows, ...said } = writtenOf(judged, now);
		const news = { ...said, warn };
		const lease = { endpointId: this.#endpointId, sender: this.#id, leaseMs: LEASE_MS };
		if (reason === null && !warn) {
			const version = await recordAttempts(db, lease, rows, news);
			if (version === null) this.#over = true;
			else this.#leaseConfirmedAt = now;
			if (version !== this.#version) this.#forgetQueue(); // its address, secrets or status changed
			return;
		}
		const url = ending?.url ?? this.#url;
		const what: EndpointEnd = { endpointId: this.#endpointId, url, what: reason ?? "warning" };
		const isRecorded = await transaction(db, async (tx) => {
			if ((await recordAttempts(tx, lease, rows, news)) === null) return false;
			if (reason !== null && !(await deactivate(tx, { ...lease, url }, reason))) return false;
			await noteEnd(tx, what, mails);
			return true;
		});
		if (isRecorded) tell(what);
		else this.#over = true;
	}
}
