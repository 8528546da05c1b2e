import type { Query } from "../../ground/pg/connect.ts";
import { type LogCursor, lockChunks, updateChunks } from "./clear-bodies-sql.ts";
import { type Sought, traces, withoutBodies } from "./without-bodies.ts";

/** Maximum number of chunks that one transaction reads and locks. */
const CHUNKS_AT_ONCE = 200;

/**
 * Removes the bodies of requests that are about some orders from the next chunks of a sandbox key's log, in the
 * caller's transaction. Returns where to continue; null: there are no further chunks. The log has no bodies of live
 * keys.
 */
export async function clearBodies(
	tx: Query,
	keyId: string,
	sought: Sought,
	after: LogCursor | null,
): Promise<LogCursor | null> {
	const chunks = await lockChunks(tx, { keyId, traces: traces(sought), after, most: CHUNKS_AT_ONCE });
	const cleared = chunks.flatMap(({ requests, ...chunk }) => {
		const without = requests === null ? null : withoutBodies(requests, sought);
		return without === null ? [] : [{ ...chunk, requests: without }];
	});
	if (cleared.length > 0) await updateChunks(tx, keyId, cleared);
	const last = chunks.at(-1);
	return last === undefined || chunks.length < CHUNKS_AT_ONCE ? null : { lastAt: last.lastAt, place: last.place };
}
