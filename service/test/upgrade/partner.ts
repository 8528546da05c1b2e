import { setTimeout as sleep } from "node:timers/promises";
import { CUSTOMER } from "../contract/order-world.ts";
import { sizeOr } from "../sizes.ts";
import type { Balancer } from "./balancer.ts";

/** Milliseconds after which a request that is still refused counts as failed, and between two attempts at one. */
const PATIENCE_MS = sizeOr(120_000, 60_000);
const AGAIN_AFTER_MS = 50;
/** Milliseconds between two carts: an everyday run leaves the machine to others. */
const PAUSE_MS = sizeOr(0, 250);
/** Statuses that say: nothing was done, send it again. A partner's client does so by itself. */
const AGAIN = new Set([429, 503]);

/** What becomes of a hold: its status when it is read back. A kept one stays as it was made. */
const FATES = ["consumed", "placed", "released", "active"] as const;
type Fate = (typeof FATES)[number];

/** An acknowledged hold, as its partner wrote it down: what was last acknowledged of it. */
interface Kept {
	readonly token: string;
	readonly status: Fate;
	/** The order that it became. */
	readonly orderId: string | null;
}

/** What happened to requests. */
export interface Tally {
	requests: number;
	/** Attempts that were sent again under the same reference, by their reason. */
	readonly again: Map<string, number>;
	/** Requests that were not answered as they should have been. */
	readonly failed: string[];
	/** Milliseconds of the slowest request, with all its attempts. */
	slowestMs: number;
}

export const newTally = (): Tally => ({ requests: 0, again: new Map(), failed: [], slowestMs: 0 });

/** A shop that goes on selling until it is told to stop. */
export interface Partner {
	/** The number of its carts that are complete. */
	readonly done: number;
	stop(): Promise<void>;
	/** Looks up everything that was acknowledged. Returns what is not as it was acknowledged. */
	lookUp(): Promise<string[]>;
	readonly kept: readonly Kept[];
}

interface Answer {
	readonly status: number;
	// oxlint-disable-next-line typescript/no-explicit-any -- replies of several operations
	readonly data: any;
}

type Ask = (path: string, body?: object, key?: string) => Promise<Answer>;

/** Sends requests with this key, each until it is answered for good. */
function createAsk(token: string, balancer: Balancer, tally: Tally): Ask {
	return async (path, body, key) => {
		const began = performance.now();
		tally.requests++;
		const headers = {
			authorization: `Bearer ${token}`,
			...(body === undefined ? {} : { "content-type": "application/json" }),
			...(key === undefined ? {} : { "idempotency-key": key }),
		};
		const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
		while (true) {
			const answer = await attempt(balancer.next(), path, init);
			if (typeof answer !== "string") {
				tally.slowestMs = Math.max(tally.slowestMs, performance.now() - began);
				if (answer.status >= 300) tally.failed.push(`${path}: ${answer.status} ${JSON.stringify(answer.data)}`);
				return answer;
			}
			tally.again.set(answer, (tally.again.get(answer) ?? 0) + 1);
			if (performance.now() - began > PATIENCE_MS) {
				tally.failed.push(`${path}: ${answer}`);
				return { status: 0, data: null };
			}
			await sleep(AGAIN_AFTER_MS);
		}
	};
}

export function openPartner(name: string, token: string, balancer: Balancer, tally: Tally): Partner {
	const ask = createAsk(token, balancer, tally);
	const kept: Kept[] = [];
	let done = 0;
	let open = true;

	/** A cart from its hold to its end; every acknowledgement is written down as it comes. */
	const sell = async (cart: string, fate: Fate): Promise<void> => {
		const made = await ask("/api/v1/reserve", { items: [{ sku: "TEA", qty: 1 }], external_ref: cart });
		if (made.status >= 300) return;
		const reservation_token = made.data.reservation_token as string;
		const at = kept.push({ token: reservation_token, status: "active", orderId: null }) - 1;
		const end = await {
			consumed: () => ask("/api/v1/consume", { reservation_token, external_ref: cart }),
			placed: () => ask("/api/v1/orders", { reservation_token, customer: CUSTOMER }, cart),
			released: () => ask("/api/v1/release", { reservation_token }),
			active: () => null,
		}[fate]();
		if (end === null || end.status < 200 || end.status >= 300) return;
		kept[at] = { token: reservation_token, status: fate, orderId: end.data.order_id ?? null };
	};

	const selling = (async () => {
		while (open) {
			await sell(`${name}-${done}`, FATES[done % FATES.length] ?? "active");
			done++;
			await sleep(PAUSE_MS);
		}
	})();

	return {
		get done() {
			return done;
		},
		kept,
		async stop() {
			open = false;
			await selling;
		},
		async lookUp() {
			const lost: string[] = [];
			for (const { token, status, orderId } of kept) {
				const hold = await ask(`/api/v1/holds/${token}`);
				if (hold.data?.status !== status) lost.push(`hold ${token}: ${hold.data?.status}, acknowledged as ${status}`);
				if (status !== "placed") continue;
				const order = await ask(`/api/v1/orders/${orderId}`);
				if (order.data?.reservation_token !== token) lost.push(`order ${orderId} of hold ${token}: ${order.status}`);
			}
			return lost;
		},
	};
}

/** One attempt: its answer, or why it may be repeated. */
async function attempt(api: string | null, path: string, init: RequestInit): Promise<Answer | string> {
	if (api === null) return "no node was ready";
	try {
		const response = await fetch(api + path, init);
		const { data = null, ...rest } = (await response.json()) as { data?: unknown };
		return AGAIN.has(response.status) ? `answered ${response.status}` : { status: response.status, data: data ?? rest };
	} catch (error) {
		const { code } = ((error as Error).cause ?? error) as { code?: string };
		return code === "ECONNREFUSED" ? "connection refused" : "connection closed";
	}
}
