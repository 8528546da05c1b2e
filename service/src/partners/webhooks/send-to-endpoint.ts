import type { KeyObject } from "node:crypto";
import { asError } from "../../ground/lib/assert.ts";
import { monotonicMs, PROCESS_TIMERS, sleep } from "../../ground/lib/clock.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { type Due, type Judged, writtenOf } from "./judged.ts";
import { type EndpointEnd, noteEnd } from "./notice.ts";
import { judge, type PostOutcome, type SendingPolicy } from "./policy.ts";
import type { Poster } from "./post.ts";
import { type SealedSecret, signingKeyOf } from "./secret.ts";
import {
	type AttemptRow,
	deactivate,
	dropForInactive,
	keepEndpoint,
	letGoOfEndpoint,
	letGoWhenDone,
	readDue,
	recordAttempts,
	signingSecrets,
	takeEndpoint,
} from "./send-sql.ts";
import { signedHeaders } from "./sign.ts";

/** Milliseconds after which an endpoint whose sender fell silent is another's. */
const LEASE_MS = 30_000;
/** Milliseconds after the last proof that the endpoint is ours in which a post may begin: it ends before another's. */
const FRESH_MS = 10_000;
/** Milliseconds after which it is made sure of again, if no attempt was written down meanwhile. */
const KEEP_EVERY_MS = 3_000;
/** Events that one look takes in hand. */
const LOOK_AT = 128;
/** Posts to one endpoint at once; fewer while it fails. */
const HANDS = 16;
const HANDS_FAILING = 4;
/** Attempts that wait to be written down, at most: if this node dies, they are made again. */
const MOST_JUDGED = 128;
/** Attempts that are written down together at once, and milliseconds that fewer wait for the posts under way to end. */
const WRITE_TOGETHER = 64;
const GATHER_MS = 5;
/** Milliseconds after which an endpoint gives its place to another that waits for one. */
const TURN_MS = 5_000;
/** Milliseconds between two attempts at writing down what became of posts, and how long that is tried. */
const WRITE_AGAIN_MS = 500;
const WRITE_WITHIN_MS = 20_000;

export interface SenderDeps {
	readonly db: Database;
	readonly poster: Poster;
	readonly policy: SendingPolicy;
	/** Opens the secrets that can be opened. */
	readonly open: (secrets: readonly SealedSecret[]) => readonly string[];
	/** A random number, 0 inclusive to 1 exclusive. */
	readonly draw: () => number;
	/** One attempt ended. */
	readonly count: (outcome: PostOutcome, to: AttemptRow["to"], ms: number) => void;
	/** The operator is to be told; called when it is written down. */
	readonly tell: (end: EndpointEnd) => void;
	/** Somebody else waits for this one's place. */
	readonly othersWait: () => boolean;
	/** Whether mails are to be sent. */
	readonly mails: boolean;
	/** No post begins any more. */
	readonly stopping: AbortSignal;
	/** Posts under way are given up. */
	readonly abort: AbortSignal;
}

/** A statement that makes an endpoint a sender's, or keeps it so. */
type Claim = (client: Query) => Promise<unknown>;

/** How a sender ended. `unsigned`: no secret of the endpoint can be opened. */
export type SenderEnd = "done" | "busy" | "unsigned" | "gave_way";

/** Sends what is due for one endpoint, some posts at a time, until nothing is. Nobody else sends to it meanwhile. */
export interface Sender {
	/** Call once. @throws when the database fails for too long: what was not written down is sent again. */
	run(): Promise<SenderEnd>;
	/** There is more to send, or may be. */
	wake(): void;
	/** Was it woken after it last looked? */
	readonly wokenSince: boolean;
	/** Did the last attempt fail? */
	readonly failing: boolean;
}

/** `id`: names this sender in the database; what it does after another has taken over changes nothing. */
export const sendToEndpoint = (deps: SenderDeps, endpointId: string, id: string): Sender =>
	new OneSender(deps, endpointId, id);

class OneSender implements Sender {
	readonly #deps: SenderDeps;
	readonly #endpointId: string;
	readonly #id: string;
	readonly #begunAt = monotonicMs();
	#queue: Due[] = [];
	/** Numbers of events in hand: from the look until what became of them is written down. */
	readonly #inHand = new Set<number>();
	#judged: Judged[] = [];
	#writing: Promise<void> | null = null;
	#looking: Promise<void> | null = null;
	/** What is being written down now; it may fail, and then everything ends. */
	#recording: Promise<void> | null = null;
	#hands = 0;
	/** Posts under way. */
	#posts = 0;
	/** Ends the wait for more attempts to write down; null: nobody waits. */
	#gathered: (() => void) | null = null;
	#again = false;
	/** The last look found fewer than it could have: only what it is woken for is due since. */
	#sawAll = false;
	#over = false;
	#unsigned = false;
	#failure: Error | null = null;
	#url = "";
	#keys: readonly KeyObject[] = [];
	/** When what is queued was read, and when the endpoint was last known to be ours; each from before the question. */
	#lookedAt = Number.NEGATIVE_INFINITY;
	#oursAt = Number.NEGATIVE_INFINITY;
	/** The database's clock less ours; milliseconds. */
	#clockOffset = 0;
	/** Ours; null: it does not fail. */
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
		if (!this.#over && this.#hands > 0) this.#lendHands();
	}

	get wokenSince(): boolean {
		return this.#again;
	}

	async run(): Promise<SenderEnd> {
		const { db } = this.#deps;
		let letGo = false;
		try {
			const taken = await this.#take();
			if (taken === "busy") {
				letGo = true;
				return "busy";
			}
			if (taken === "inactive") await dropForInactive(db, [this.#endpointId, this.#id]);
			else {
				while (!letGo && !this.#mayNotBegin()) {
					await this.#sendAll();
					if (!this.#mayNotBegin()) letGo = await this.#letGoWhenDone();
				}
			}
		} finally {
			this.#over = true;
			// if even this fails, it is another's when the time is over
			if (!letGo) await letGoOfEndpoint(db, [this.#endpointId, this.#id]).catch(() => undefined);
		}
		if (this.#unsigned) return "unsigned";
		return !letGo && this.#mustGiveWay() ? "gave_way" : "done";
	}

	/** Takes the endpoint and looks at what is due, in one round trip. */
	async #take(): Promise<"mine" | "busy" | "inactive"> {
		let taken: Awaited<ReturnType<typeof takeEndpoint>> = [];
		await this.#look(async (client) => {
			taken = await takeEndpoint(client, [this.#endpointId, this.#id, LEASE_MS]);
		});
		const [first] = taken;
		if (first === undefined) return "busy";
		return first[0] ? "mine" : "inactive";
	}

	/** False: more is due by now, and the endpoint is still ours. */
	async #letGoWhenDone(): Promise<boolean> {
		this.#sawAll = false;
		return (await letGoWhenDone(this.#deps.db, [this.#endpointId, this.#id])).length > 0;
	}

	async #sendAll(): Promise<void> {
		do {
			this.#ended = Promise.withResolvers<void>();
			this.#lendHands();
			await this.#ended.promise;
			await this.#written();
			if (this.#failure !== null) throw this.#failure;
		} while (this.#again && !this.#mayNotBegin());
	}

	#mayNotBegin(): boolean {
		return this.#over || this.#deps.stopping.aborted || this.#mustGiveWay();
	}

	#lendHands(): void {
		const most = this.failing ? HANDS_FAILING : HANDS;
		while (this.#hands < most) {
			this.#hands++;
			void this.#hand().finally(() => {
				if (--this.#hands === 0) this.#ended.resolve();
			});
		}
	}

	async #hand(): Promise<void> {
		try {
			for (let due = await this.#next(); due !== null; due = await this.#next()) await this.#attempt(due);
		} catch (error) {
			this.#fail(error);
		}
	}

	/** Nothing more is begun; what is under way ends, and then the failure is thrown. */
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
			if (this.failing && this.#hands > HANDS_FAILING) return null;
			const now = monotonicMs();
			if (now - this.#lookedAt > FRESH_MS || now - this.#oursAt > KEEP_EVERY_MS) this.#forgetQueue();
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
		for (const { seq } of this.#queue) this.#inHand.delete(seq);
		this.#queue = [];
		this.#sawAll = false;
	}

	/** `claim`: sent before the look; it makes the endpoint ours. */
	async #look(claim?: Claim): Promise<void> {
		const { db, open } = this.#deps;
		const inHand = `{${[...this.#inHand].join(",")}}`;
		const begunAt = monotonicMs();
		const keeps: Claim = (client) => keepEndpoint(client, [this.#endpointId, this.#id, LEASE_MS]);
		const makesOurs = claim ?? (begunAt - this.#oursAt > KEEP_EVERY_MS ? keeps : null);
		const [, rows, sealed] = await db.onOne((client: Query) =>
			Promise.all([
				makesOurs?.(client),
				readDue(client, [this.#endpointId, this.#id, inHand, LOOK_AT]),
				signingSecrets(client, this.#endpointId),
			]),
		);
		const [first] = rows;
		if (first === undefined) {
			this.#over = true;
			return;
		}
		const [url, now, failingForMs, warned] = first;
		this.#lookedAt = begunAt;
		if (makesOurs !== null) this.#oursAt = begunAt;
		this.#sawAll = rows.length < LOOK_AT;
		this.#clockOffset = now - monotonicMs();
		this.#url = url;
		this.#keys = open(sealed).map(signingKeyOf);
		if (this.#judged.length === 0 && this.#writing === null) {
			this.#failingSince = failingForMs === null ? null : monotonicMs() - failingForMs;
			this.#warned = warned;
		}
		for (const [, , , , seq, eventId, failures, body] of rows) {
			if (seq === null || this.#inHand.has(seq)) continue;
			this.#inHand.add(seq);
			this.#queue.push({ seq, eventId, failures, body });
		}
		if (this.#queue.length === 0 || this.#keys.length > 0) return;
		this.#unsigned = true;
		this.#over = true;
	}

	async #attempt(due: Due): Promise<void> {
		const { poster, policy, draw, abort, count } = this.#deps;
		const { eventId, body, failures } = due;
		const timestamp = Math.floor((monotonicMs() + this.#clockOffset) / 1_000);
		const headers = signedHeaders({ eventId, timestamp, body }, this.#keys);
		this.#posts++;
		const posted = await poster.post({ owner: this.#endpointId, url: this.#url, headers, body }, abort);
		this.#posts--;
		if (abort.aborted && posted.outcome.kind === "no_answer") return; // nobody knows whether it arrived: it is sent again
		const endedAt = monotonicMs();
		const failingForMs = this.#failingSince === null ? null : endedAt - this.#failingSince;
		const verdict = judge(policy, posted.outcome, { failures, failingForMs, warned: this.#warned }, draw());
		if (verdict.delivery.to === "delivered") {
			this.#failingSince = null;
			this.#warned = false;
		} else this.#failingSince ??= endedAt;
		if (verdict.warn) this.#warned = true;
		if (verdict.deactivate !== null) this.#over = true; // in this turn of the event loop: no other hand begins
		count(posted.outcome, verdict.delivery.to, posted.durationMs);
		this.#judged.push({ ...due, posted, verdict, endedAt });
		this.#writing ??= this.#write()
			.catch((error: unknown) => this.#fail(error))
			.finally(() => {
				this.#writing = null;
			});
		if (this.#isGathered()) this.#gathered?.();
		while (this.#judged.length >= MOST_JUDGED && this.#recording !== null) await this.#recording;
	}

	/** Resolves when everything that was judged is written down, or given up. */
	async #written(): Promise<void> {
		while (this.#writing !== null) await this.#writing;
	}

	/** Are the judged attempts to be written down now? Each writing is a commit, whether for one or for many. */
	#isGathered(): boolean {
		const noneUnderWay = this.#posts === 0 && this.#queue.length === 0;
		return this.#over || noneUnderWay || this.#judged.length >= WRITE_TOGETHER;
	}

	/** Resolves when enough was judged, nothing more is under way, or a moment has passed. */
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

	/** Writes down what was judged meanwhile, again and again until nothing is left. */
	async #write(): Promise<void> {
		while (this.#judged.length > 0) {
			await this.#gather();
			const judged = this.#judged;
			this.#judged = [];
			this.#recording = this.#record(judged);
			await this.#recording;
			for (const { seq } of judged) this.#inHand.delete(seq);
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
		const ending = judged.find(({ verdict }) => verdict.deactivate !== null)?.verdict.deactivate ?? null;
		const warn = judged.some(({ verdict }) => verdict.warn);
		const now = monotonicMs();
		const { rows, ...said } = writtenOf(judged, now);
		const news = { ...said, warn };
		const lease = { endpointId: this.#endpointId, sender: this.#id, leaseMs: LEASE_MS };
		if (ending === null && !warn) {
			if (await recordAttempts(db, lease, rows, news)) this.#oursAt = now;
			else this.#over = true;
			return;
		}
		const what: EndpointEnd = { endpointId: this.#endpointId, url: this.#url, what: ending ?? "warning" };
		const mine = await transaction(db, async (tx) => {
			if (!(await recordAttempts(tx, lease, rows, news))) return false;
			if (ending !== null && !(await deactivate(tx, this.#endpointId, this.#id, ending))) return false;
			await noteEnd(tx, what, mails);
			return true;
		});
		if (mine) tell(what);
		else this.#over = true;
	}
}
