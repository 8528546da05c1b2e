import { setTimeout as sleep } from "node:timers/promises";
import type { CustomerSent } from "./addresses.ts";
import type { BoxAnswer, CheckAnswer, HoldAnswer, HoldReadBack, OrderAnswer } from "./answers.ts";
import { type Client, ConnectionLost, type CutAt, type Reply } from "./http.ts";
import type { Line } from "./split.ts";
import type { OperationName, Tally } from "./tally.ts";

/** Milliseconds without an answer to an operation after which the run ends. */
const PATIENCE_MS = 120_000;
/** Maximum milliseconds to which the wait before a retry grows. */
const LONGEST_WAIT_MS = 500;

/** Refusals after which the same request should be repeated (settlements, sections 5 and 6). */
const COME_AGAIN: readonly string[] = ["retry", "hold_race"];

/** One operation, and the refusals that its caller handles; any other is a fault. */
interface Call {
	readonly name: OperationName;
	readonly path: string;
	/** Absent: a GET. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	readonly foreseen?: readonly string[];
	readonly cut?: CutAt | undefined;
}

/** The parameters of an order. */
export interface OrderWish {
	/** The Idempotency-Key: the same as the reserve's reference, which the partner stored before it began. */
	readonly ref: string;
	readonly token: string;
	readonly externalOrderId: string;
	readonly customer: CustomerSent;
}

/**
 * The final answer to an operation. `uncertain`: an earlier attempt got no answer, so it may have been executed.
 * `replayed`: the answer repeats an earlier result.
 */
export type Answer<T> =
	| { readonly ok: true; readonly data: T; readonly uncertain: boolean; readonly replayed: boolean }
	| { readonly ok: false; readonly code: string; readonly uncertain: boolean };

export interface Consumed {
	readonly consumed_units: number;
	readonly idempotent: boolean;
}
export interface Returned {
	readonly returned_units: number;
	readonly idempotent: boolean;
}

/** One partner's key at work: each call is repeated with the same reference until the service has answered it. */
export class Partner {
	readonly name: string;
	readonly #client: Client;
	readonly #token: string;
	readonly #tally: Tally;
	/** Whether 5xx answers are expected because processes are being killed. */
	readonly #rough: boolean;

	constructor(name: string, client: Client, token: string, tally: Tally, rough: boolean) {
		this.name = name;
		this.#client = client;
		this.#token = token;
		this.#tally = tally;
		this.#rough = rough;
	}

	reserve(lines: readonly Line[], brand: string | null, ref: string, ttl: number | undefined, cut?: CutAt) {
		const items = brand === null ? lines : lines.map((line) => ({ ...line, brand_code: brand }));
		const body = { items, external_ref: ref, ...(ttl === undefined ? {} : { ttl_minutes: ttl }) };
		const foreseen = ["no_inventory", "invalid_item"];
		return this.#perform<HoldAnswer>({ name: "reserve", path: "/api/v1/reserve", body, foreseen, cut });
	}

	check(lines: readonly Line[], brand: string | null) {
		const items = brand === null ? lines : lines.map((line) => ({ ...line, brand_code: brand }));
		return this.#perform<CheckAnswer>({ name: "check", path: "/api/v1/check", body: { items } });
	}

	consume(token: string, ref: string, cut?: CutAt) {
		const body = { reservation_token: token, external_ref: ref };
		return this.#perform<Consumed>({ name: "consume", path: "/api/v1/consume", body, foreseen: ["wrong_state"], cut });
	}

	release(token: string, cut?: CutAt) {
		const body = { reservation_token: token };
		return this.#perform<{ ok: true }>({ name: "release", path: "/api/v1/release", body, foreseen: ["gone"], cut });
	}

	reverse(ref: string, cut?: CutAt) {
		return this.#perform<Returned>({
			name: "reverse",
			path: "/api/v1/consume/reverse",
			body: { external_ref: ref },
			cut,
		});
	}

	place({ ref, token, externalOrderId, customer }: OrderWish, cut?: CutAt) {
		return this.#perform<OrderAnswer>({
			name: "place",
			path: "/api/v1/orders",
			headers: { "idempotency-key": ref },
			body: { reservation_token: token, external_order_id: externalOrderId, customer },
			foreseen: ["reservation_expired", "reservation_gone", "kit_incomplete", "reservation_empty"],
			cut,
		});
	}

	cancel(ref: string, cut?: CutAt) {
		const path = `/api/v1/orders/${encodeURIComponent(ref)}/cancel`;
		return this.#perform<OrderAnswer>({ name: "cancel", path, body: {}, foreseen: ["order_not_cancellable"], cut });
	}

	/** Combines several orders in one box, that of the first. */
	combine(refs: readonly string[]) {
		const path = "/api/v1/shipments/combine";
		return this.#perform<BoxAnswer>({
			name: "combine",
			path,
			body: { order_refs: refs, primary_ref: refs[0] },
			foreseen: ["wrong_state"],
		});
	}

	findOrder(ref: string) {
		return this.#perform<OrderAnswer>({ name: "find order", path: `/api/v1/orders/${encodeURIComponent(ref)}` });
	}

	findHold(token: string) {
		return this.#perform<HoldReadBack>({ name: "find hold", path: `/api/v1/holds/${token}` });
	}

	async #perform<T>(call: Call): Promise<Answer<T>> {
		const { name, foreseen = [], cut } = call;
		const started = performance.now();
		let uncertain = false;
		for (let attempt = 0; ; attempt += 1) {
			const reply = await this.#attempt(call, attempt === 0 ? cut : undefined);
			if (performance.now() - started > PATIENCE_MS)
				throw new Error(`${name} was not answered within ${PATIENCE_MS} ms`);
			if (reply === null) {
				uncertain = true;
				if (attempt > 0 || cut === undefined) await sleep(Math.min(LONGEST_WAIT_MS, 20 * 2 ** attempt));
				continue;
			}
			if (reply.status < 300) {
				this.#tally.answered(name, performance.now() - started);
				const { data } = reply.body as { data: T & { idempotent?: boolean } };
				if (data.idempotent === true || reply.replayed) this.#tally.replays += 1;
				return { ok: true, data, uncertain, replayed: reply.replayed };
			}
			const error = errorOf(reply);
			this.#tally.refused(error.code);
			if (reply.status >= 500) {
				uncertain = true;
				if (!this.#rough) this.#tally.fault(`${name}: ${reply.status} ${error.code}: ${error.message}`);
			} else if (reply.status !== 429 && !COME_AGAIN.includes(error.code)) {
				this.#tally.answered(name, performance.now() - started);
				if (!foreseen.includes(error.code))
					this.#tally.fault(`${name}: ${reply.status} ${error.code}: ${error.message}`);
				return { ok: false, code: error.code, uncertain };
			}
			await sleep(reply.retryAfter > 0 ? reply.retryAfter * 1000 : Math.min(LONGEST_WAIT_MS, 20 * 2 ** attempt));
		}
	}

	/** Null if no answer came because the connection was lost or cut on purpose. */
	async #attempt({ path, headers = {}, body }: Call, cut: CutAt | undefined): Promise<Reply | null> {
		try {
			const method = body === undefined ? "GET" : "POST";
			return await this.#client.send({ method, path, token: this.#token, headers, body, cut });
		} catch (error) {
			if (!(error instanceof ConnectionLost)) throw error;
			if (cut === undefined) this.#tally.lost += 1;
			else this.#tally.cut += 1;
			return null;
		}
	}
}

function errorOf(reply: Reply): { code: string; message: string } {
	const { error } = (reply.body ?? {}) as { error?: { code?: string; message?: string } };
	return { code: error?.code ?? `status ${reply.status}`, message: error?.message ?? "no error envelope" };
}
