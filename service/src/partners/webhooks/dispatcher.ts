import { LRUCache } from "lru-cache";
import { monotonicMs, sleep } from "../../ground/lib/clock.ts";
import { newId } from "../../ground/lib/ids.ts";
import { type Sender, type SenderDeps, type SenderEnd, sendToEndpoint } from "./send-to-endpoint.ts";

/**
 * Number of endpoints that a node sends to at the same time, by lane: failing ones never take the places of healthy
 * ones.
 */
const PLACES = { healthy: 48, failing: 16 } as const;
type Lane = keyof typeof PLACES;
const LANES = Object.keys(PLACES) as Lane[];

/** Milliseconds until an endpoint is tried again after its sender failed, or had no secret it could open. */
const AFTER_FAILURE_MS = 2_000;
const AFTER_UNSIGNED_MS = 60_000;
/** Milliseconds that a stop waits for running posts, and then for their results to be recorded. */
const STOP_WITHIN_MS = 4_000;
const ABORT_WITHIN_MS = 1_000;
/** Maximum number of endpoints remembered as failing or resting; the least recently used are dropped. */
const MOST_REMEMBERED = 10_000;

export interface DispatcherOptions extends Omit<SenderDeps, "othersWait" | "stopping" | "abort"> {
	/** Called when a sender failed. */
	readonly onFailure: (error: unknown) => void;
	/** Called when no secret of an endpoint can be opened. */
	readonly onUnsigned: (endpointId: string) => void;
}

/** Sends to all endpoints from a node, with one sender per endpoint; endpoints queue for a limited number of places. */
export interface Dispatcher {
	/** A delivery is, or may be, due for this endpoint. */
	wake(endpointId: string): void;
	/** Number of endpoints currently sent to. */
	readonly sending: number;
	/** Starts no further post and resolves when running ones are recorded or abandoned. */
	stop(): Promise<void>;
}

export const createDispatcher = (options: DispatcherOptions): Dispatcher => new OneDispatcher(options);

interface Running {
	readonly sender: Sender;
	readonly lane: Lane;
	readonly ended: Promise<void>;
}

class OneDispatcher implements Dispatcher {
	readonly #options: DispatcherOptions;
	readonly #stopping = new AbortController();
	readonly #abort = new AbortController();
	readonly #running = new Map<string, Running>();
	readonly #waiting: { readonly [L in Lane]: Set<string> } = { healthy: new Set(), failing: new Set() };
	/** Endpoints whose last attempt on this node failed. */
	readonly #failing = new LRUCache<string, true>({ max: MOST_REMEMBERED });
	/** When an endpoint may be tried again; monotonic milliseconds. */
	readonly #restUntil = new LRUCache<string, number>({ max: MOST_REMEMBERED });

	constructor(options: DispatcherOptions) {
		this.#options = options;
	}

	get sending(): number {
		return this.#running.size;
	}

	wake(endpointId: string): void {
		if (this.#stopping.signal.aborted) return;
		const one = this.#running.get(endpointId);
		if (one !== undefined) return one.sender.wake();
		const until = this.#restUntil.get(endpointId);
		if (until !== undefined && until > monotonicMs()) return;
		this.#restUntil.delete(endpointId);
		this.#waiting[this.#failing.has(endpointId) ? "failing" : "healthy"].add(endpointId);
		this.#fill();
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		for (const lane of Object.values(this.#waiting)) lane.clear();
		await Promise.race([this.#allEnded(), sleep(STOP_WITHIN_MS)]);
		this.#abort.abort();
		await Promise.race([this.#allEnded(), sleep(ABORT_WITHIN_MS)]);
	}

	#allEnded(): Promise<unknown> {
		return Promise.all([...this.#running.values()].map(({ ended }) => ended));
	}

	/** Gives free places to waiting endpoints, first come, first served. */
	#fill(): void {
		for (const lane of LANES) {
			let free = PLACES[lane] - [...this.#running.values()].filter((one) => one.lane === lane).length;
			for (const endpointId of this.#waiting[lane]) {
				if (free-- <= 0 || this.#stopping.signal.aborted) break;
				this.#waiting[lane].delete(endpointId);
				if (!this.#running.has(endpointId)) this.#begin(endpointId, lane);
			}
		}
	}

	#begin(endpointId: string, lane: Lane): void {
		const [stopping, abort] = [this.#stopping.signal, this.#abort.signal];
		const othersWait = (): boolean => this.#waiting[lane].size > 0;
		const sender = sendToEndpoint({ ...this.#options, othersWait, stopping, abort }, endpointId, newId());
		const ended = sender.run().then(
			(end) => this.#ended(endpointId, sender, end),
			(error: unknown) => {
				if (!stopping.aborted) this.#options.onFailure(error);
				this.#ended(endpointId, sender, "failed");
			},
		);
		this.#running.set(endpointId, { sender, lane, ended });
	}

	#ended(endpointId: string, sender: Sender, end: SenderEnd | "failed"): void {
		this.#running.delete(endpointId);
		if (end !== "busy") {
			this.#failing.delete(endpointId);
			if (sender.failing) this.#failing.set(endpointId, true);
		}
		if (end === "failed") this.#restUntil.set(endpointId, monotonicMs() + AFTER_FAILURE_MS);
		if (end === "unsigned") {
			this.#restUntil.set(endpointId, monotonicMs() + AFTER_UNSIGNED_MS);
			this.#options.onUnsigned(endpointId);
		}
		// "busy": another node sends to it, and the next poll for due deliveries finds any that it leaves
		if (end === "gave_way" || (end === "done" && sender.wokenSince)) this.wake(endpointId);
		this.#fill();
	}
}
