import { setTimeout as sleep } from "node:timers/promises";
import type { CheckAnswer, HoldAnswer } from "./answers.ts";
import { type Client, ConnectionLost, type CutAt, type Reply } from "./http.ts";
import type { Line } from "./split.ts";
import type { OperationName, Tally } from "./tally.ts";

/** An operation that has had no answer for this long ends the run. Milliseconds. */
const PATIENCE_MS = 120_000;
/** The wait before a retry grows to this. Milliseconds. */
const LONGEST_WAIT_MS = 500;

const PATHS: Readonly<Record<OperationName, string>> = {
	reserve: "/api/v1/reserve",
	check: "/api/v1/check",
	consume: "/api/v1/consume",
	release: "/api/v1/release",
	reverse: "/api/v1/consume/reverse",
};

/** The service's last word on an operation. `uncertain`: an earlier attempt got no answer, so it may have been carried out. */
export type Answer<T> =
	| { readonly ok: true; readonly data: T; readonly uncertain: boolean }
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
	/** Are 5xx answers to be expected, because somebody is killing processes? */
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
		return this.#perform<HoldAnswer>("reserve", body, ["no_inventory", "invalid_item"], cut);
	}

	check(lines: readonly Line[], brand: string | null) {
		const items = brand === null ? lines : lines.map((line) => ({ ...line, brand_code: brand }));
		return this.#perform<CheckAnswer>("check", { items }, []);
	}

	consume(token: string, ref: string, cut?: CutAt) {
		return this.#perform<Consumed>("consume", { reservation_token: token, external_ref: ref }, ["wrong_state"], cut);
	}

	release(token: string, cut?: CutAt) {
		return this.#perform<{ ok: true }>("release", { reservation_token: token }, ["gone"], cut);
	}

	reverse(ref: string, cut?: CutAt) {
		return this.#perform<Returned>("reverse", { external_ref: ref }, [], cut);
	}

	/** `foreseen`: refusals the caller deals with; any other is a fault. */
	async #perform<T>(name: OperationName, body: unknown, foreseen: readonly string[], cut?: CutAt): Promise<Answer<T>> {
		const started = performance.now();
		let uncertain = false;
		for (let attempt = 0; ; attempt += 1) {
			const reply = await this.#attempt(name, body, attempt === 0 ? cut : undefined);
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
				if (data.idempotent === true) this.#tally.replays += 1;
				return { ok: true, data, uncertain };
			}
			const error = errorOf(reply);
			this.#tally.refused(error.code);
			if (reply.status >= 500) {
				uncertain = true;
				if (!this.#rough) this.#tally.fault(`${name}: ${reply.status} ${error.code}: ${error.message}`);
			} else if (reply.status !== 429 && error.code !== "retry") {
				this.#tally.answered(name, performance.now() - started);
				if (!foreseen.includes(error.code))
					this.#tally.fault(`${name}: ${reply.status} ${error.code}: ${error.message}`);
				return { ok: false, code: error.code, uncertain };
			}
			await sleep(reply.retryAfter > 0 ? reply.retryAfter * 1000 : Math.min(LONGEST_WAIT_MS, 20 * 2 ** attempt));
		}
	}

	/** Null when no answer came, because the connection was lost or cut on purpose. */
	async #attempt(name: OperationName, body: unknown, cut: CutAt | undefined): Promise<Reply | null> {
		try {
			return await this.#client.send({ method: "POST", path: PATHS[name], token: this.#token, body, cut });
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
