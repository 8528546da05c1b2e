import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { monotonicMs, PROCESS_TIMERS, sleep, wallClock } from "./clock.ts";
import { otlpBody, type TracedProcess, type TraceSpan } from "./otlp.ts";
import { isDrawn, readTraceParent, type SpanPlace } from "./trace-parent.ts";

/**
 * Maximum number of spans that wait to be sent; further ones are dropped, so that a slow collector cannot use up
 * memory.
 */
const MOST_WAITING = 8_192;
/** Maximum number of spans that are sent together, and milliseconds that a smaller number waits for more. */
const SEND_TOGETHER = 512;
const SEND_AFTER_MS = 1_000;
/** Milliseconds within which the collector must take them; spans that it did not take are not sent again. */
const SEND_WITHIN_MS = 5_000;
/** Milliseconds that a stop waits for the last spans. */
const STOP_WITHIN_MS = 1_000;
/** Maximum number of requests and events whose place in a trace is remembered; the oldest are forgotten. */
const MOST_REMEMBERED = 10_000;
const [TRACE_BYTES, SPAN_BYTES] = [16, 8] as const;
const TRACES_PATH = "/v1/traces";

/** The span under way of a request. */
export interface OpenSpan extends SpanPlace {
	readonly parentId: string | null;
}

/** Counts of spans since the start of this process. */
export interface TraceCounts {
	readonly sent: number;
	readonly dropped: number;
	readonly waiting: number;
}

/** Records spans, and sends them to a collector without delaying the work that they describe. */
export interface Traces {
	/** Begins the span of a request, in its caller's trace if it names one. Null: it is not traced. */
	begin(requestId: string, traceparent: string | readonly string[] | undefined): OpenSpan | null;
	/** Begins a span in the trace of what is remembered under this name, or in a new one. Null: it is not traced. */
	continue(name: string): OpenSpan | null;
	/** Gives `name` the same place in a trace as `under`, for later work. Does nothing if that is not traced. */
	remember(name: string, under: string): void;
	/** The place in a trace of a request or event; undefined: it is not traced, or was forgotten. */
	placeOf(name: string): SpanPlace | undefined;
	/** A span that has ended. */
	record(span: TraceSpan): void;
	counts(): TraceCounts;
	/** Sends the waiting spans, if that takes no longer than a second. */
	stop(): Promise<void>;
}

export interface TracesOptions {
	/** The collector's address. */
	readonly url: string;
	/** Percent of traces that are recorded. */
	readonly percent: number;
	readonly version: string;
	/** The collector did not take spans. */
	readonly onLost: (error: unknown) => void;
}

export const createTraces = (options: TracesOptions): Traces => new Recorder(options);

export const newSpanId = (): string => randomBytes(SPAN_BYTES).toString("hex");
const newTraceId = (): string => randomBytes(TRACE_BYTES).toString("hex");

class Recorder implements Traces {
	readonly #options: TracesOptions;
	readonly #address: string;
	readonly #process: TracedProcess;
	readonly #places = new LRUCache<string, SpanPlace>({ max: MOST_REMEMBERED });
	#waiting: TraceSpan[] = [];
	#sent = 0;
	#dropped = 0;
	#stopped = false;
	/** Cancels the timer of the next sending; null: none is set. */
	#callOff: (() => void) | null = null;
	#sending: Promise<void> | null = null;

	constructor(options: TracesOptions) {
		this.#options = options;
		this.#address = options.url.endsWith(TRACES_PATH) ? options.url : `${options.url}${TRACES_PATH}`;
		this.#process = { service: "holdfast", version: options.version, instance: newTraceId() };
	}

	begin(requestId: string, traceparent: string | readonly string[] | undefined): OpenSpan | null {
		const caller = readTraceParent(traceparent);
		if (caller?.sampled === false) return null;
		const span = this.#open(caller);
		if (span !== null) this.#places.set(requestId, span);
		return span;
	}

	continue(name: string): OpenSpan | null {
		return this.#open(this.#places.get(name) ?? null);
	}

	#open(parent: SpanPlace | null): OpenSpan | null {
		const traceId = parent?.traceId ?? newTraceId();
		if (!isDrawn(traceId, this.#options.percent)) return null;
		return { traceId, spanId: newSpanId(), parentId: parent?.spanId ?? null };
	}

	remember(name: string, under: string): void {
		const place = this.#places.get(under);
		if (place !== undefined) this.#places.set(name, place);
	}

	placeOf(name: string): SpanPlace | undefined {
		return this.#places.get(name);
	}

	record(span: TraceSpan): void {
		if (this.#waiting.length >= MOST_WAITING) {
			this.#dropped++;
			return;
		}
		this.#waiting.push(span);
		if (this.#waiting.length >= SEND_TOGETHER) this.#send();
		else this.#callOff ??= PROCESS_TIMERS.after(SEND_AFTER_MS, () => this.#send());
	}

	counts(): TraceCounts {
		return { sent: this.#sent, dropped: this.#dropped, waiting: this.#waiting.length };
	}

	async stop(): Promise<void> {
		this.#send();
		const all = async (): Promise<void> => {
			while (this.#sending !== null) await this.#sending;
		};
		await Promise.race([all(), sleep(STOP_WITHIN_MS)]);
		this.#stopped = true;
	}

	/** Sends the waiting spans, one request after the other. */
	#send(): void {
		this.#callOff?.();
		this.#callOff = null;
		if (this.#sending !== null || this.#waiting.length === 0 || this.#stopped) return;
		const spans = this.#waiting.slice(0, SEND_TOGETHER);
		this.#waiting = this.#waiting.slice(SEND_TOGETHER);
		this.#sending = this.#post(spans).then(
			() => this.#sentAway(spans.length),
			(error: unknown) => {
				this.#dropped += spans.length;
				this.#options.onLost(error);
				this.#sentAway(0);
			},
		);
	}

	#sentAway(count: number): void {
		this.#sent += count;
		this.#sending = null;
		if (this.#waiting.length > 0) this.#send();
	}

	async #post(spans: readonly TraceSpan[]): Promise<void> {
		const response = await fetch(this.#address, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: otlpBody(spans, this.#process, wallClock().getTime() - monotonicMs()),
			redirect: "error",
			signal: AbortSignal.timeout(SEND_WITHIN_MS),
		});
		await response.body?.cancel();
		if (!response.ok) throw new Error(`the collector answered ${response.status}`);
	}
}
