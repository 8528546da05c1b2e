import { monotonicMs, wait } from "../lib/clock.ts";
import { isRefusal, type Refusal } from "../lib/refusal.ts";
import type { Database } from "../pg/connect.ts";
import { stateOf } from "./certificate.ts";
import { findBatch } from "./find-batch.ts";
import { type CoaLinks, type CoaRecord, recordOf } from "./record.ts";

/** What is known of a lot (settlements, section 8). */
export interface LotLookup {
	readonly lot: string;
	readonly state: ReturnType<typeof stateOf>;
	readonly items: readonly CoaRecord[];
}

/** Milliseconds that every look takes at least: a known lot is answered no later than an unknown one. */
const ANSWERED_AFTER_MS = 40;

/** What a buyer may know of a lot, of the sandbox's too. */
export async function lookUpLot(db: Database, links: CoaLinks, lot: string): Promise<LotLookup | Refusal<"not_found">> {
	const began = monotonicMs();
	const found = await findBatch(db, lot, null);
	await wait(Math.max(0, ANSWERED_AFTER_MS - (monotonicMs() - began)));
	if (isRefusal(found)) return found;
	return {
		lot,
		state: stateOf(found.map(({ status }) => status)),
		items: found.map((certificate) => recordOf(certificate, links)),
	};
}
