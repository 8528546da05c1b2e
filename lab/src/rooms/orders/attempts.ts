import { type Exchange, type Outcome, outcomeOf } from "../../history.ts";

/** The fields of an order's reply that the lab reads. */
export interface OrderReply {
	readonly order_id: string;
	readonly ref: string;
	readonly reservation_token: string;
	readonly status: string;
	readonly version: number;
}

/** The fields of a box's reply. */
export interface BoxReply {
	readonly shipment_id: string;
	readonly brand_code: string | null;
	readonly status: string;
	readonly version: number;
	readonly orders: readonly { readonly order_id: string }[];
}

export interface PageReply {
	readonly items: readonly BoxReply[];
	readonly next_cursor: string;
	readonly has_more: boolean;
}

/** The fields of the reply for a hold that is read back. */
export interface HoldReading {
	readonly reservation_token: string;
	readonly status: string;
	readonly external_ref: string | null;
	readonly order_id: string | null;
}

/** One attempt at an operation, with its answer. */
interface Attempt {
	readonly actor: string;
	readonly start: number;
	readonly end: number;
	readonly outcome: Outcome;
	readonly status: number | null;
	/** The error's code; null if there was no error. */
	readonly code: string | null;
}

export interface PlaceAttempt extends Attempt {
	readonly token: string;
	readonly key: string;
	readonly order: OrderReply | null;
}
/** A get or a cancel. */
export interface NamedAttempt extends Attempt {
	/** The order's id or Idempotency-Key. */
	readonly ref: string;
	readonly order: OrderReply | null;
}
export interface CombineAttempt extends Attempt {
	readonly refs: readonly string[];
	readonly box: BoxReply | null;
}
export interface PageAttempt extends Attempt {
	/** The brand whose boxes were requested: the named one; null: the key's own. */
	readonly brand: string | null;
	readonly cursor: string | null;
	readonly page: PageReply | null;
}
export interface ReadAttempt extends Attempt {
	/** The reservation token that was requested; null when it was requested by `ref`. */
	readonly token: string | null;
	readonly ref: string | null;
	readonly hold: HoldReading | null;
}

/** All attempts of a history that concern orders, by operation. */
export interface OrderAttempts {
	readonly places: readonly PlaceAttempt[];
	readonly gets: readonly NamedAttempt[];
	readonly cancels: readonly NamedAttempt[];
	readonly combines: readonly CombineAttempt[];
	readonly pages: readonly PageAttempt[];
	readonly reads: readonly ReadAttempt[];
}

const PLACES = ["/api/v1/orders", "/api/v1/confirm"];
const ORDER = /^\/api\/v1\/orders\/([^/]+)(\/cancel)?$/;
const HOLD = /^\/api\/v1\/holds\/([^/]+)$/;

interface Sent {
	readonly reservation_token?: string;
	readonly order_refs?: readonly string[];
}

export function orderAttemptsIn(exchanges: readonly Exchange[]): OrderAttempts {
	const found = {
		places: [] as PlaceAttempt[],
		gets: [] as NamedAttempt[],
		cancels: [] as NamedAttempt[],
		combines: [] as CombineAttempt[],
		pages: [] as PageAttempt[],
		reads: [] as ReadAttempt[],
	};
	for (const exchange of exchanges) {
		const [path = "", search] = exchange.path.split("?");
		const query = new URLSearchParams(search);
		const sent = (exchange.body ?? {}) as Sent;
		const { data, error } = (exchange.reply ?? {}) as { data?: unknown; error?: { code: string } };
		const { actor, start, end, status } = exchange;
		const outcome = outcomeOf(exchange);
		const attempt = { actor, start, end, status, outcome, code: error?.code ?? null };
		const told = <T>(): T | null => (outcome === "done" ? (data as T) : null);
		const named = ORDER.exec(path);
		const hold = HOLD.exec(path);
		if (PLACES.includes(path)) {
			const { reservation_token: token = "" } = sent;
			found.places.push({ ...attempt, token, key: exchange.key ?? token, order: told() });
		} else if (named) {
			const ref = decodeURIComponent(named[1] ?? "");
			found[named[2] ? "cancels" : "gets"].push({ ...attempt, ref, order: told() });
		} else if (path === "/api/v1/shipments/combine") {
			found.combines.push({ ...attempt, refs: sent.order_refs ?? [], box: told() });
		} else if (path === "/api/v1/shipments") {
			found.pages.push({ ...attempt, brand: query.get("brand_code"), cursor: query.get("cursor"), page: told() });
		} else if (hold || path === "/api/v1/holds") {
			found.reads.push({ ...attempt, token: hold?.[1] ?? null, ref: query.get("external_ref"), hold: told() });
		}
	}
	return found;
}
