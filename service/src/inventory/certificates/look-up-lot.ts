import type { Static } from "typebox";
import type { Environment } from "../../glossary.ts";
import { monotonicMs, wait } from "../../ground/lib/clock.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import { stateOf } from "./certificate.ts";
import type { CoaLookup } from "./contract.ts";
import { MAX_OF_BATCH } from "./limits.ts";
import { type Certificate, type CoaLinks, recordOf } from "./record.ts";
import { selectBatchTyped, selectOfBatch } from "./sql.ts";

/** The public facts about a lot (settlements, section 8). */
export type LotLookup = Static<(typeof CoaLookup)["replies"][200]>;

export const UNKNOWN_LOT = refuse("not_found", "We know no lot of this number.");
/** Minimum milliseconds per lookup, so that response times do not reveal whether a lot is known. */
const ANSWERED_AFTER_MS = 40;

interface LookUpDeps {
	readonly readDb: Database;
	readonly keylessReads: Turns;
	readonly coaLinks: CoaLinks;
}

/**
 * The facts that a buyer may know about a lot. Without a published certificate, these are only that the lot exists and
 * whether it is recalled. `from`: the address for fair queueing.
 */
export async function lookUpLot(
	{ readDb, keylessReads, coaLinks: links }: LookUpDeps,
	lot: string,
	from: string,
): Promise<LotLookup | Refusal<"not_found" | "rate_limited">> {
	const began = monotonicMs();
	const found = await keylessReads.take(from, () => find(readDb, lot));
	await wait(Math.max(0, ANSWERED_AFTER_MS - (monotonicMs() - began)));
	if (isRefusal(found)) return found;
	if (found === null) return UNKNOWN_LOT;
	const { batch, certificates } = found;
	const statuses = certificates.map(({ status }) => status);
	return {
		lot: batch.batchNumber,
		state: stateOf({ ...batch, statuses }),
		items: certificates.map((certificate) => recordOf(certificate, links)),
	};
}

/** The batch and its certificates: only the live ones if any lot or listed certificate of the batch is live. */
async function find(db: Database, lot: string) {
	const batch = await patiently(() => selectBatchTyped(db, lot));
	if (batch === null) return null;
	const environment = batch.sandbox ? "sandbox" : "live";
	const certificates = await patiently(() => selectOfBatch(db, batch.batchNumber, environment, MAX_OF_BATCH));
	return { batch, certificates };
}

export const NONE_OF_LOT = refuse("not_found", "There is no certificate of this lot.");

/** Every published certificate of a batch number, whatever its product. */
export async function findBatch(
	db: Database,
	batchNumber: string,
	environment: Environment,
): Promise<readonly Certificate[] | Refusal<"not_found">> {
	const found = await patiently(() => selectOfBatch(db, batchNumber, environment, MAX_OF_BATCH));
	return found.length > 0 ? found : NONE_OF_LOT;
}
