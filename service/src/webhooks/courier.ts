import { monotonicMs, sleep } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { Sender, type SenderDeps, type SenderEnd } from "./sender.ts";

/** Endpoints of one node that are sent to at once, by whether they failed last: those that fail never take the places of the others. */
const PLACES = { healthy: 48, failing: 16 } as const;
type Lane = keyof typeof PLACES;

/** Milliseconds before an endpoint is looked at again whose sender failed, or whose secrets cannot be read. */
const AFTER_FAILURE_MS = 2_000;
const AFTER_UNSIGNED_MS = 60_000;
/** Milliseconds that a stop waits for posts under way, and then for what they became. */
const STOP_WITHIN_MS = 4_000;
const ABORT_WITHIN_MS = 1_000;
/** Endpoints that are remembered as failing or resting; the oldest is forgotten. */
const MOST_REMEMBERED = 10_000;

export interface CourierOptions extends Omit<SenderDeps, "othersWait" | "stopping" | "abort"> {
	/** A sender failed. */
	readonly onFailure: (error: unknown) => void;
	/** No secret of an endpoint can be opened. */
	readonly onUnsigned: (endpointId: string) => void;
}

/** Sends to all endpoints of a node, each by one sender at a time, by turns where there are more than places. */
export interface Courier {
	/** Something is due for this endpoint, or may be. */
	wake(endpointId: string): void;
	/** Endpoints that are sent to now. */
	readonly sending: number;
	/** Begins no post any more and resolves when those under way are written down, or were given up. */
	stop(): Promise<void>;
}

export function createCourier(options: CourierOptions): Courier {
	const stopping = new AbortController();
	const abort = new AbortController();
	const running = new Map<string, { readonly sender: Sender; readonly lane: Lane; readonly ended: Promise<void> }>();
	const waiting: { readonly [L in Lane]: Set<string> } = { healthy: new Set(), failing: new Set() };
	const failing = new Set<string>();
	const restUntil = new Map<string, number>();

	const laneOf = (endpointId: string): Lane => (failing.has(endpointId) ? "failing" : "healthy");
	const sendingIn = (lane: Lane): number => [...running.values()].filter((one) => one.lane === lane).length;
	const remember = (endpointId: string, isFailing: boolean): void => {
		failing.delete(endpointId);
		if (isFailing) failing.add(endpointId);
		const [oldest] = failing;
		if (failing.size > MOST_REMEMBERED && oldest !== undefined) failing.delete(oldest);
	};
	const rest = (endpointId: string, ms: number): void => {
		restUntil.set(endpointId, monotonicMs() + ms);
		const [oldest] = restUntil.keys();
		if (restUntil.size > MOST_REMEMBERED && oldest !== undefined) restUntil.delete(oldest);
	};

	const begin = (endpointId: string, lane: Lane): void => {
		const othersWait = (): boolean => waiting[lane].size > 0;
		const sender = new Sender(
			{ ...options, othersWait, stopping: stopping.signal, abort: abort.signal },
			endpointId,
			newId(),
		);
		const ended = (async () => {
			let end: SenderEnd | "failed";
			try {
				end = await sender.run();
			} catch (error) {
				end = "failed";
				if (!stopping.signal.aborted) options.onFailure(error);
			}
			running.delete(endpointId);
			if (end !== "busy") remember(endpointId, sender.failing);
			if (end === "failed") rest(endpointId, AFTER_FAILURE_MS);
			if (end === "unsigned") {
				rest(endpointId, AFTER_UNSIGNED_MS);
				options.onUnsigned(endpointId);
			}
			// "busy": another node has it, and what it leaves is found by the next look for what is due
			if (end === "gave_way" || (end === "done" && sender.wokenSince)) wake(endpointId);
			fill();
		})();
		running.set(endpointId, { sender, lane, ended });
	};
	const fill = (): void => {
		for (const lane of ["healthy", "failing"] as const) {
			let free = PLACES[lane] - sendingIn(lane);
			for (const endpointId of waiting[lane]) {
				if (free-- <= 0 || stopping.signal.aborted) break;
				waiting[lane].delete(endpointId);
				begin(endpointId, lane);
			}
		}
	};
	const wake = (endpointId: string): void => {
		if (stopping.signal.aborted) return;
		const one = running.get(endpointId);
		if (one !== undefined) return one.sender.wake();
		const until = restUntil.get(endpointId);
		if (until !== undefined && until > monotonicMs()) return;
		restUntil.delete(endpointId);
		waiting[laneOf(endpointId)].add(endpointId);
		fill();
	};
	const allEnded = (): Promise<unknown> => Promise.all([...running.values()].map(({ ended }) => ended));
	return {
		wake,
		get sending() {
			return running.size;
		},
		async stop() {
			stopping.abort();
			for (const lane of Object.values(waiting)) lane.clear();
			await Promise.race([allEnded(), sleep(STOP_WITHIN_MS)]);
			abort.abort();
			await Promise.race([allEnded(), sleep(ABORT_WITHIN_MS)]);
		},
	};
}
