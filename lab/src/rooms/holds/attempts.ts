import type { Exchange } from "../../history.ts";
import { type Outcome, outcomeOf } from "../../history.ts";
import type { SentLine } from "./known.ts";

/** One attempt at an operation on holds, with request and answer parsed. */
interface Attempt {
	readonly actor: string;
	readonly start: number;
	readonly end: number;
	readonly outcome: Outcome;
	readonly status: number | null;
	/** The error's code; null if there was no error. */
	readonly code: string | null;
}

interface HeldComponent {
	readonly formula_id: string;
	readonly per_kit: number;
	readonly requested_units: number | null;
	readonly reserved_units: number;
	readonly from_brand_pool: number;
	readonly from_shared_pool: number;
	readonly fg_ids: readonly string[];
}
export interface HeldItem {
	readonly sku: string;
	readonly brand_code: string | null;
	readonly reserved_qty: number;
	readonly components: readonly HeldComponent[];
}
/** The answer to a reserve. */
interface Granted {
	readonly reservation_token: string;
	readonly expires_at: string;
	readonly idempotent: boolean;
	readonly items: readonly HeldItem[];
}

export interface ReserveAttempt extends Attempt {
	readonly ref: string | null;
	readonly lines: readonly SentLine[];
	readonly granted: Granted | null;
}
/** How a partner ends a hold. */
export type EndedBy = "released" | "consumed" | "placed";

export interface EndAttempt extends Attempt {
	readonly token: string;
	/** The end that was requested. */
	readonly how: EndedBy;
	/** The reference of a consume, the Idempotency-Key of a place; null for a release. */
	readonly ref: string | null;
	/** Units that the answer to a consume reports; null for a release, or without an answer. */
	readonly units: number | null;
}
export interface ReverseAttempt extends Attempt {
	readonly ref: string;
	readonly units: number | null;
}

/** All attempts of a history, by operation. */
export interface Attempts {
	readonly reserves: readonly ReserveAttempt[];
	readonly releases: readonly EndAttempt[];
	readonly consumes: readonly EndAttempt[];
	readonly places: readonly EndAttempt[];
	readonly reverses: readonly ReverseAttempt[];
}

interface Sent {
	readonly items?: readonly SentLine[];
	readonly external_ref?: string;
	readonly reservation_token?: string;
}
interface Answered {
	readonly data?: Partial<Granted> & { readonly consumed_units?: number; readonly returned_units?: number };
	readonly error?: { readonly code: string };
}

export function attemptsIn(exchanges: readonly Exchange[]): Attempts {
	const found = {
		reserves: [] as ReserveAttempt[],
		releases: [] as EndAttempt[],
		consumes: [] as EndAttempt[],
		places: [] as EndAttempt[],
		reverses: [] as ReverseAttempt[],
	};
	for (const exchange of exchanges) {
		if (exchange.method !== "POST") continue;
		const { items = [], external_ref: ref = null, reservation_token: token = "" } = (exchange.body ?? {}) as Sent;
		const { data, error } = (exchange.reply ?? {}) as Answered;
		const { actor, start, end, status } = exchange;
		const outcome = outcomeOf(exchange);
		const attempt = { actor, start, end, status, outcome, code: error?.code ?? null };
		switch (exchange.path) {
			case "/api/v1/reserve":
				found.reserves.push({ ...attempt, ref, lines: items, granted: outcome === "done" ? (data as Granted) : null });
				break;
			case "/api/v1/release":
				found.releases.push({ ...attempt, token, how: "released", ref: null, units: null });
				break;
			case "/api/v1/consume":
				found.consumes.push({ ...attempt, token, how: "consumed", ref, units: data?.consumed_units ?? null });
				break;
			case "/api/v1/orders":
			case "/api/v1/confirm":
				found.places.push({ ...attempt, token, how: "placed", ref: exchange.key ?? null, units: null });
				break;
			case "/api/v1/consume/reverse":
				found.reverses.push({ ...attempt, ref: ref ?? "", units: data?.returned_units ?? null });
				break;
			default:
		}
	}
	return found;
}
