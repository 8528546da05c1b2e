import type { Agent, Dispatcher } from "undici";
import { PROCESS_TIMERS } from "../../ground/lib/clock.ts";
import { type PostOutcome, readRetryAfter } from "./policy.ts";

/** Maximum number of bytes that are read of a response. */
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Maximum number of characters that are kept of a response, unless the caller wants more. */
const EXCERPT_CHARACTERS = 200;
/** Lower statuses are interim: the final response follows. */
const FIRST_FINAL_STATUS = 200;
/** Maximum number of interim responses. */
const MOST_INTERIM = 20;

type Handler = Required<
	Pick<
		Dispatcher.DispatchHandler,
		"onRequestStart" | "onResponseStart" | "onResponseData" | "onResponseEnd" | "onResponseError"
	>
>;

/** The result of a request. `error`: why there is no response. */
export type Exchanged =
	| { readonly outcome: Extract<PostOutcome, { kind: "answered" }>; readonly excerpt: string }
	| { readonly outcome: Extract<PostOutcome, { kind: "no_answer" }>; readonly error: unknown };

export class TooLate extends Error {
	override readonly name = "TooLate";
}

/** The response exceeds a limit. */
export class TooMuch extends Error {
	override readonly name = "TooMuch";
}

interface Limits {
	readonly withinMs: number;
	/** Aborted at a shutdown. */
	readonly stopping: AbortSignal;
	/** Maximum number of characters that are kept of the response. */
	readonly keep?: number;
}

/**
 * Sends one request and reads its response, within the time limit. The agent's own `request` creates a stream, signals
 * and promises for each response, which cost more than the exchange itself; this handles the events of undici's
 * dispatcher and keeps only what it needs.
 */
export const exchange = (agent: Agent, options: Agent.DispatchOptions, limits: Limits): Promise<Exchanged> =>
	new Promise((resolve) => {
		agent.dispatch(options, new OneExchange(limits, resolve));
	});

class OneExchange implements Handler {
	readonly #resolve: (exchanged: Exchanged) => void;
	readonly #callOff: () => void;
	readonly #stopping: AbortSignal;
	readonly #keep: number;
	readonly #stop = (): void => this.#give(new Error("everything stops"));
	#controller: Dispatcher.DispatchController | null = null;
	#outcome: Extract<PostOutcome, { kind: "answered" }> | null = null;
	#chunks: Buffer[] = [];
	#bytes = 0;
	#interim = 0;
	#over = false;
	/** Why the connection must not be used any more, or null. */
	#givenUp: Error | null = null;

	constructor({ withinMs, stopping, keep = EXCERPT_CHARACTERS }: Limits, resolve: (exchanged: Exchanged) => void) {
		this.#resolve = resolve;
		this.#keep = keep;
		this.#stopping = stopping;
		this.#callOff = PROCESS_TIMERS.after(withinMs, () => this.#give(new TooLate()));
		if (stopping.aborted) this.#stop();
		else stopping.addEventListener("abort", this.#stop);
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.#controller = controller;
		if (this.#givenUp !== null) controller.abort(this.#givenUp); // timed out before connecting
	}

	onResponseStart(
		_: Dispatcher.DispatchController,
		status: number,
		headers: { readonly [name: string]: string | string[] | undefined },
	): void {
		if (status < FIRST_FINAL_STATUS) {
			if (++this.#interim > MOST_INTERIM) this.#give(new TooMuch("interim answers"));
			return;
		}
		const retryAfterMs = readRetryAfter(one(headers["retry-after"]), one(headers.date));
		this.#outcome = { kind: "answered", status, retryAfterMs };
	}

	onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
		this.#chunks.push(chunk);
		this.#bytes += chunk.length;
		if (this.#bytes >= MAX_ANSWER_BYTES) this.#give(new TooMuch("bytes")); // the rest is not read
	}

	onResponseEnd(): void {
		this.#end(null);
	}

	onResponseError(_: Dispatcher.DispatchController, error: Error): void {
		this.#end(error);
	}

	/** Ends the exchange from our side, and closes its connection. */
	#give(why: Error): void {
		this.#givenUp = why;
		this.#end(why);
		this.#controller?.abort(why);
	}

	/** Once there is a status, it is the result, even if the body then fails. */
	#end(error: unknown): void {
		if (this.#over) return;
		this.#over = true;
		this.#callOff();
		this.#stopping.removeEventListener("abort", this.#stop);
		this.#resolve(
			this.#outcome === null
				? { outcome: { kind: "no_answer" }, error }
				: { outcome: this.#outcome, excerpt: this.#excerpt() },
		);
	}

	#excerpt(): string {
		if (this.#bytes === 0) return "";
		const text = Buffer.concat(this.#chunks).toString("utf8").replaceAll("\0", "\ufffd");
		if (text.length <= this.#keep) return text.toWellFormed();
		return Array.from(text.slice(0, 2 * this.#keep))
			.slice(0, this.#keep)
			.join("")
			.toWellFormed();
	}
}

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);
