import type { Standing } from "../client/budget.ts";
import { HoldfastError } from "../client/errors.ts";
import type { RequestOptions } from "../client/methods.ts";
import type { Reply } from "../client/raw.ts";
import { standings } from "../client/shared.ts";
import { alertAfter, type Facts, type Health, judge, staleAlertAt, troubleAfter } from "./health.ts";
import { type Copy, keptIn, type Spelling, textOf } from "./kept.ts";
import { checkedPeriods, type MirrorOptions, type MirrorStatus } from "./options.ts";
import { SteadyClock, SYSTEM_CLOCK } from "./steady-clock.ts";

/** Milliseconds that a store may take before the mirror continues without it. */
const STORE_WAIT_MS = 5_000;

/** Milliseconds in which all mirrors of a refused key together send one request (guide: going live). */
const ASK_AGAIN_MS = 15_000;
/** When a request was last sent with a refused key, by the mirrors' clock. */
const askedAt = new WeakMap<Standing, number>();

/** Makes one request for the mirror. `askedAt`: when it was handed to the client. */
export type Ask = <T>(send: (options: RequestOptions) => Promise<T>) => Promise<{
	readonly reply: T;
	readonly askedAt: number;
}>;

/** What a mirror copies. */
export interface Source<Content> extends Spelling<Content> {
	readonly empty: Content;
	/** Reads what has changed since a copy, and yields each intermediate copy; the last one has a new `readAt`. */
	read(copy: Copy<Content>, ask: Ask): AsyncIterable<Copy<Content>>;
}

/** The content, or why it must not be shown. */
export type Seen<Content> =
	| { readonly kind: "fresh"; readonly content: Content; readonly since: Date }
	| { readonly kind: "stale" | "unauthorized" | "empty"; readonly since: Date };

/** Refreshes a copy at regular intervals, keeps it in a store, and says whether it may be shown. */
export class Engine<Content> {
	readonly startedAt: Date;
	readonly #source: Source<Content>;
	readonly #options: MirrorOptions;
	readonly #everyMs: number;
	readonly #staleAfterMs: number;
	readonly #clock: SteadyClock;
	/** Shared by all that use the key in this process: if one finds that it is refused, or works again, all know. */
	readonly #standing: Standing | undefined;
	#facts: Facts;
	#content: Content;
	/** The health that people were last alerted to; null: not known. */
	#told: Health | null = null;
	#requests = 0;
	#storeError: Error | undefined;
	#isLoaded = false;
	#saved: Promise<void> = Promise.resolve();
	/** Number of saves that were begun. */
	#saves = 0;
	/** When the last refresh began. */
	#begunAt = Number.NEGATIVE_INFINITY;
	#refreshing: Promise<void> | undefined;
	#stopRefresh = new AbortController();
	#stopLoop: AbortController | undefined;

	constructor(source: Source<Content>, options: MirrorOptions) {
		const { everyMs, staleAfterMs } = checkedPeriods(options);
		this.#source = source;
		this.#options = options;
		this.#everyMs = everyMs;
		this.#staleAfterMs = staleAfterMs;
		this.#clock = new SteadyClock(options.clock ?? SYSTEM_CLOCK);
		this.#standing = standings.get(options.holdfast.raw);
		const startedAt = this.#clock.now();
		this.startedAt = this.#clock.dateOf(startedAt);
		this.#facts = { startedAt, readAt: null, trouble: null };
		this.#content = source.empty;
	}

	see(): Seen<Content> {
		const { kind, since } = judge(this.#facts, this.#clock.now(), this.#staleAfterMs);
		const date = this.#clock.dateOf(since);
		return kind === "fresh" ? { kind, content: this.#content, since: date } : { kind, since: date };
	}

	get content(): Content {
		return this.#content;
	}

	status(): MirrorStatus {
		const { readAt, trouble } = this.#facts;
		const { kind } = judge(this.#facts, this.#clock.now(), this.#staleAfterMs);
		const lastError = trouble?.error ?? this.#storeError;
		return {
			kind,
			asOf: readAt === null ? null : this.#clock.dateOf(readAt),
			...(lastError === undefined ? {} : { lastError }),
			requests: this.#requests,
		};
	}

	async start(): Promise<void> {
		if (this.#stopLoop !== undefined) return await this.#refreshing;
		this.#stopLoop = new AbortController();
		this.#facts = { ...this.#facts, startedAt: this.#clock.now() };
		this.#standing?.watchers.add(this.#hear);
		const first = this.refresh();
		void this.#run(this.#stopLoop.signal);
		await first;
	}

	async stop(): Promise<void> {
		this.#stopLoop?.abort();
		this.#stopLoop = undefined;
		this.#standing?.watchers.delete(this.#hear);
		this.#stopRefresh.abort();
		await this.#refreshing;
	}

	async refresh(): Promise<MirrorStatus> {
		while (this.#refreshing !== undefined && this.#stopRefresh.signal.aborted) await this.#refreshing;
		if (this.#refreshing === undefined) {
			this.#begunAt = this.#clock.now();
			this.#stopRefresh = new AbortController();
			this.#refreshing = this.#refresh(this.#stopRefresh.signal).finally(() => {
				this.#refreshing = undefined;
			});
		}
		await this.#refreshing;
		return this.status();
	}

	/** Never rejects, and neither does anything that it calls. */
	async #run(stopped: AbortSignal): Promise<void> {
		const stop = new Promise<void>((resolve) => stopped.addEventListener("abort", () => resolve(), { once: true }));
		for (;;) {
			const now = this.#clock.now();
			const nextAt = this.#begunAt + this.#everyMs;
			if (this.#refreshing === undefined && now >= nextAt) void this.refresh();
			const wakeAt = [nextAt, staleAlertAt(this.#facts, this.#staleAfterMs)].filter((at) => at > now);
			await Promise.race([
				stop,
				...(this.#refreshing === undefined ? [] : [this.#refreshing]),
				...(wakeAt.length === 0 ? [] : [this.#clock.sleep(Math.min(...wakeAt) - now)]),
			]);
			if (stopped.aborted) return;
			if (this.#tell()) await this.#save();
		}
	}

	/**
	 * Called when the key was refused for another mirror, or works again. A running refresh finds out itself that it
	 * works; that it is refused, only if its own request is answered.
	 */
	readonly #hear = (): void => {
		const error = this.#standing?.refused?.error;
		if (this.#standing !== undefined && error !== undefined) askedAt.set(this.#standing, this.#platformNow());
		if (error === undefined) {
			if (this.#facts.trouble?.kind === "unauthorized" && this.#refreshing === undefined) void this.refresh();
			return;
		}
		this.#facts = { ...this.#facts, trouble: troubleAfter(this.#facts.trouble, this.#clock.now(), error) };
		// before the store was read, it is not known what people were told
		if (this.#mayReplace() && this.#tell()) void this.#save();
	};

	/** @throws HoldfastError the refusal of the key, if a request has just shown that the key is still refused */
	#askForAll(): void {
		const standing = this.#standing;
		if (standing?.refused === undefined) return;
		const now = this.#platformNow();
		if (Math.abs(now - (askedAt.get(standing) ?? Number.NEGATIVE_INFINITY)) < ASK_AGAIN_MS)
			throw standing.refused.error;
		askedAt.set(standing, now);
	}

	/** By a clock that all mirrors share, and that may be set. */
	#platformNow(): number {
		return (this.#options.clock ?? SYSTEM_CLOCK).now();
	}

	async #refresh(stopped: AbortSignal): Promise<void> {
		const isInTrouble = this.#facts.trouble !== null;
		await this.#load();
		if (isInTrouble && !stopped.aborted) this.#tell(); // a store that answered late may have an old copy
		const ask: Ask = async (send) => {
			stopped.throwIfAborted();
			const askedAt = this.#clock.now();
			this.#requests++;
			return { reply: await send({ signal: stopped, priority: "low" }), askedAt };
		};
		try {
			this.#askForAll();
			const copy = { content: this.#content, readAt: this.#facts.readAt };
			for await (const { content, readAt } of this.#source.read(copy, ask)) {
				this.#content = content;
				this.#facts = { ...this.#facts, readAt };
			}
			if (this.#standing?.refused !== undefined) throw this.#standing.refused.error; // by another mirror
			this.#facts = { ...this.#facts, trouble: null };
		} catch (thrown) {
			if (!stopped.aborted) {
				const error = errorOf(thrown);
				this.#facts = { ...this.#facts, trouble: troubleAfter(this.#facts.trouble, this.#clock.now(), error) };
			}
		}
		if (!stopped.aborted) this.#tell();
		await this.#save();
	}

	/** Alerts, if there is something new to say. */
	#tell(): boolean {
		const { health, healthSince } = judge(this.#facts, this.#clock.now(), this.#staleAfterMs);
		const kind = alertAfter(this.#told, health);
		if (kind === null || health === null) return false;
		this.#told = health;
		const { trouble } = this.#facts;
		const since = this.#clock.dateOf(healthSince);
		void attempt(async () => {
			await this.#options.onAlert({ kind, since, ...(trouble?.error && { error: trouble.error }) });
		});
		return true;
	}

	/** Reads the store, again before each refresh until the store or the service has answered. */
	async #load(): Promise<void> {
		if (this.#mayReplace()) return;
		const read: { text?: string | null } = {};
		await this.#withStore(async (store) => {
			read.text = (await store.load()) ?? null;
		});
		const { text } = read;
		if (text === undefined) return; // then it is not known what people were told
		this.#isLoaded = true;
		const kept = keptIn(this.#source, text, this.#clock);
		// if the text is damaged, that is not known either
		this.#told ??= text === null ? "well" : (kept?.told ?? null);
		if (kept === null) return;
		const { content, readAt, trouble } = kept;
		this.#content = content;
		const isRefused = trouble?.kind === "unauthorized";
		this.#facts = { ...this.#facts, readAt, trouble: isRefused ? trouble : (this.#facts.trouble ?? trouble) };
	}

	/** Whether the store may be overwritten: its content is known, or older than what was read since. */
	#mayReplace(): boolean {
		return this.#isLoaded || this.#facts.readAt !== null;
	}

	/**
	 * Saves run one after the other. One that ends after a newer one has begun may overwrite it: then the newest is
	 * saved again.
	 */
	async #save(): Promise<void> {
		if (!this.#mayReplace()) return;
		this.#saved = this.#saved.then(() =>
			this.#withStore(async (store) => {
				const number = ++this.#saves;
				const { readAt, trouble } = this.#facts;
				const kept = { content: this.#content, readAt, trouble, told: this.#told };
				try {
					await store.save(textOf(this.#source, kept, this.#clock));
				} finally {
					if (number !== this.#saves) void this.#save();
				}
			}),
		);
		await this.#saved;
	}

	async #withStore(use: (store: MirrorOptions["store"]) => Promise<void>): Promise<void> {
		const used = attempt(() => use(this.#options.store));
		const late = this.#clock.sleep(STORE_WAIT_MS).then(() => new Error("The store did not answer in time."));
		this.#storeError = await Promise.race([used, late]);
	}
}

/** What `act` throws. */
async function attempt(act: () => Promise<void>): Promise<Error | undefined> {
	try {
		await act();
		return undefined;
	} catch (thrown) {
		return errorOf(thrown);
	}
}

function errorOf(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** An answer that the service does not give: something else answered in its place. */
export function wrongAnswer(operation: string, reason: string, { status, requestId }: Reply<unknown>): HoldfastError {
	const message = `${operation} got an answer that is not the service's: ${reason}.`;
	return new HoldfastError({ code: "connection_lost", message, status, requestId, details: {}, help: null });
}
