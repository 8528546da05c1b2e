/** Whether a partner's request waits for this one. */
export type Urgency = "in_background" | "somebody_waits";

export type RequestLimits = { readonly [U in Urgency]: number };

/** Milliseconds of the platform's rate limit window. */
export const WINDOW_MS = 60_000;
/** Share of a window for background work; the rest is reserved for requests that somebody waits for. */
const IN_BACKGROUND = 0.79;
/** Limits of this process, given its total requests per window. */
export const limitsOf = (requests: number): RequestLimits => ({
	in_background: Math.floor(requests * IN_BACKGROUND),
	somebody_waits: requests,
});

export interface RequestBudget {
	/** Milliseconds until a request may be sent; 0: send it now, it is counted. */
	take(urgency: Urgency): number;
	/** Blocks all requests, or those of one urgency, for this many milliseconds. */
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
			const inTheWay = sent[sent.length - most]; // the limit has room again when this request leaves the window
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
