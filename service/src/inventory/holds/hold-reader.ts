import { createBatcher } from "../../ground/lib/batcher.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import { type HoldAsRead, type HoldName, readHolds } from "./hold-reader-sql.ts";
import { type HoldReading, holdReading } from "./hold-reply.ts";
import { NO_HOLD } from "./own-hold.ts";

/** Maximum number of holds read together. */
const MAX_TOGETHER = 64;
/** Maximum number of holds of one key read together while other keys wait. */
const MAX_SHARE = 16;

/** Maximum number of connections that read holds at the same time. */
export const HOLD_READS_IN_FLIGHT = 1;

/** Reads holds without locking or changing anything. */
export interface HoldReader {
	read(name: HoldName): Promise<HoldReading | Refusal<"not_found" | "rate_limited">>;
	/** Resolves when all requests so far are answered. */
	drain(): Promise<void>;
}

/** Requests that arrive during a read are read together after it. `db` may be a replica. */
export function createHoldReader(db: Query): HoldReader {
	const batcher = createBatcher<HoldName, HoldAsRead | typeof NO_HOLD>(
		{
			maxWeight: MAX_TOGETHER,
			maxShare: MAX_SHARE,
			inFlight: HOLD_READS_IN_FLIGHT,
			owner: ({ keyId }) => keyId,
		},
		async (names) => (await patiently(() => readHolds(db, names))).map((hold) => hold ?? NO_HOLD),
	);
	return {
		async read(name) {
			const read = await batcher.submit(name);
			if (!isRefusal(read)) return holdReading(read);
			return read.refusal === "not_found" && "externalRef" in name ? NOTHING_UNDER_REF : read;
		},
		drain: () => batcher.drain(),
	};
}

export const NOTHING_UNDER_REF = refuse("not_found", "There is no hold under this external_ref.");
