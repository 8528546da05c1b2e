import type { Query } from "../pg/connect.ts";
import { forgetEndpoints, forgetEvents } from "./prune-sql.ts";

/** Events of one statement. */
const AT_ONCE = 1_000;

/** Forgets what is older than the days that events are kept, and says how many events that were. Never what is still to be delivered. */
export async function forgetOldEvents(db: Query, days: number, signal: AbortSignal): Promise<number> {
	let forgotten = 0;
	while (!signal.aborted) {
		const count = await forgetEvents(db, days, AT_ONCE);
		forgotten += count;
		if (count < AT_ONCE) break;
	}
	await forgetEndpoints(db);
	return forgotten;
}
