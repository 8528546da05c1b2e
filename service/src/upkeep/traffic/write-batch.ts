import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { sqlStateOf } from "../../ground/pg/faults.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { insertDay, type LogDay } from "./days-sql.ts";
import type { Batch } from "./waiting-requests.ts";
import { insertChunks } from "./write-sql.ts";

/** SQLSTATE of a row whose day has no partition yet. */
const NO_PARTITION = "23514";
/** Length of the day at the beginning of a time. */
const DAY_LENGTH = 10;
const CHUNKS_AT_ONCE = 1_000;

/**
 * Writes a batch of requests, all of it or nothing, and creates the days that it needs. If the answer to the COMMIT is
 * lost, evidence decides whether it was written. @throws OutcomeUnknown if it cannot be determined
 */
export async function writeBatch(db: Database, batch: Batch): Promise<void> {
	try {
		await insertBatch(db, batch);
	} catch (error) {
		if (sqlStateOf(error) !== NO_PARTITION) throw error;
		await transaction(db, async (tx) => {
			for (const day of daysOf(batch)) await insertDay(tx, day);
		});
		await insertBatch(db, batch);
	}
}

const insertBatch = (db: Database, { chunks }: Batch): Promise<void> =>
	transaction(db, async (tx) => {
		for (let at = 0; at < chunks.length; at += CHUNKS_AT_ONCE) {
			await insertChunks(tx, chunks.slice(at, at + CHUNKS_AT_ONCE));
		}
	});

/** The days of a batch, each once. */
function daysOf({ chunks }: Batch): LogDay[] {
	const days = new Map<string, LogDay>();
	for (const { lastAt, sandbox } of chunks) {
		const one: LogDay = { part: sandbox ? "sandbox" : "live", day: toRfc3339(lastAt).slice(0, DAY_LENGTH) };
		days.set(`${one.part} ${one.day}`, one);
	}
	return [...days.values()];
}
