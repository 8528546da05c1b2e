import { sleep, wallClock } from "../../ground/lib/clock.ts";
import type { Log } from "../../ground/lib/log.ts";
import type { TrafficKept } from "../../ground/lib/setting.ts";
import { throttled } from "../../ground/lib/throttled.ts";
import { openDatabase } from "../../ground/pg/connect.ts";
import { isConflict, isConnectionLoss } from "../../ground/pg/faults.ts";
import type { RecordAnswered } from "../../partners/http/answered.ts";
import type { Tally } from "../series/tally.ts";
import { keptRequest } from "./kept-request.ts";
import { AGAIN_AFTER_MS, COLLECT_FOR_MS, LAST_WRITE_WITHIN_MS, WRITE_WITHIN_MS } from "./limits.ts";
import { type Batch, WaitingRequests } from "./waiting-requests.ts";
import { writeBatch } from "./write-batch.ts";

/** Counts of requests by outcome since the start of this process. */
export interface LoggedCounts {
	readonly written: number;
	/** Requests that were not written, because too many waited or the database refused them. */
	readonly dropped: number;
	readonly waiting: number;
}

const NO_BATCH: Batch = { chunks: [], size: 0 };

/** The log of requests, as the process that answers them sees it. */
export interface RequestLog {
	/** Null: nothing is kept. */
	readonly record: RecordAnswered | null;
	counts(): LoggedCounts;
	/** Writes what still waits, for at most LAST_WRITE_WITHIN_MS, and ends. */
	stop(): Promise<void>;
}

export interface RequestLogOptions {
	readonly kept: TrafficKept;
	readonly log: Log;
	/** Counts the requests for figures over time. */
	readonly tally: Tally;
}

/**
 * Records answered requests and writes them in batches. No request waits for it: its entry goes into a bounded queue,
 * or is dropped and counted if there is no room.
 */
export function recordRequests(url: string, { kept, log, tally }: RequestLogOptions): RequestLog {
	if (kept === "off") {
		return { record: null, counts: () => ({ written: 0, dropped: 0, waiting: 0 }), stop: async () => undefined };
	}
	const waiting = new WaitingRequests();
	const db = openDatabase(url, {
		max: 1,
		name: "holdfast requests",
		answerWithinMs: WRITE_WITHIN_MS,
		lockTimeoutMs: WRITE_WITHIN_MS,
	});
	const stopping = new AbortController();
	const failed = throttled((error, count) => log.warn("requests could not be logged, trying again", { count }, error));
	const lost = throttled((error, count) => log.warn("requests were dropped from the log", { count }, error));
	let [written, dropped] = [0, 0];
	let batch = NO_BATCH;
	let running: Promise<void> | null = null;

	/** Writes one batch after the other until none waits; a batch that the database cannot take now is kept. */
	const drain = async (): Promise<void> => {
		while (true) {
			if (batch.size === 0) {
				batch = waiting.take();
				noteIn(tally, batch);
			}
			if (batch.size === 0) return;
			try {
				await writeBatch(db, batch);
				written += batch.size;
				batch = NO_BATCH;
			} catch (error) {
				if (isConnectionLoss(error) || isConflict(error)) {
					failed(error);
					if (stopping.signal.aborted) return;
					await sleep(AGAIN_AFTER_MS, stopping.signal);
				} else {
					dropped += batch.size;
					batch = NO_BATCH;
					lost(error);
				}
			}
		}
	};
	const run = async (): Promise<void> => {
		await sleep(COLLECT_FOR_MS, stopping.signal);
		await drain();
		running = waiting.size > 0 && !stopping.signal.aborted ? run() : null;
	};
	return {
		record(answered) {
			const request = keptRequest(answered, wallClock().getTime());
			if (request === null || (kept === "sandbox" && !request.sandbox)) return;
			if (!waiting.add(request, answered)) {
				dropped++;
				lost(new Error("too many of them wait to be written"));
				return;
			}
			running ??= run();
		},
		counts: () => ({ written, dropped, waiting: waiting.size + batch.size }),
		async stop() {
			stopping.abort();
			await Promise.race([running, sleep(LAST_WRITE_WITHIN_MS)]);
			await db.close();
		},
	};
}

function noteIn(tally: Tally, { chunks }: Batch): void {
	for (const { status, code, keyId, requests } of chunks) {
		tally.add("requests", String(status), keyId, requests.length);
		if (code !== undefined) tally.add("refusals", code, keyId, requests.length);
	}
}
