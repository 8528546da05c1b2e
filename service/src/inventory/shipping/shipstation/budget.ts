/** Who a request is for: nobody, or a partner whose own request waits for it. */
export type Urgency = "in_background" | "somebody_waits";

/** Requests in any window, by who they are for. */
export type RequestLimits = { readonly [U in Urgency]: number };

/** Milliseconds of the platform's window. */
export const WINDOW_MS = 60_000;
/**
 * Of the requests in a window, those that may be sent in the background: the others are kept for the requests that
 * somebody waits for.
 */
const IN_BACKGROUND = 0.79;
/** Requests of this process in any window, given how many it may send in all. */
export const limitsOf = (requests: number): RequestLimits => ({
	in_background: Math.floor(requests * IN_BACKGROUND),
	somebody_waits: requests,
});

/** The process's own limit on requests to the platform. */
export interface RequestBudget {
	/** Milliseconds until a request may be sent; 0: now, and it is counted. */
	take(urgency: Urgency): number;
	/** Nobody may ask for so many milliseconds, or only those for whom somebody waits. */
	pause(ms: number, whom?: Urgency): void;
}

/** `now`: monotonic milliseconds. */
export function createRequestBudget(now: () => number, limits: RequestLimits): RequestBudget {
	let sent: number[] = [];
	const pausedUntil = { in_background: Number.NEGATIVE_INFINITY, somebody_waits: Number.NEGATIVE_INFINITY };
	return {
		take(urgency) {
			const at = now();
			if (at < pausedUntil[urgency]) return pausedUntil[urgency] - at;
			sent = sent.filter((one) => at - one < WINDOW_MS);
			const most = limits[urgency];
			const inTheWay = sent[sent.length - most]; // whose leaving of the window makes room
			if (inTheWay !== undefined) return WINDOW_MS - (at - inTheWay);
			sent.push(at);
			return 0;
		},
		pause(ms, whom) {
			const all: readonly Urgency[] = whom === undefined ? ["in_background", "somebody_waits"] : [whom];
			for (const one of all) pausedUntil[one] = Math.max(pausedUntil[one], now() + ms);
		},
	};
}
