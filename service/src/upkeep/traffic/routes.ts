import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { Cursors } from "../../ground/lib/cursor.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import type { Reads } from "../../ground/pg/reads.ts";
import { selectReadNow } from "../../ground/pg/replayed.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { ListSandboxRequests, NOT_FOR_LIVE_KEYS } from "./contract.ts";
import { type ExplainRequestDeps, explainRequest } from "./explain-request.ts";
import { type LoggedRequest, selectRequest, selectRequests } from "./list-sql.ts";
import { readPlace, writePlace } from "./place.ts";
import { requestFields } from "./request-reply.ts";

/** Default number of entries per page, as of the other lists of partners (settlements, section 7). */
const PAGE_DEFAULT = 100;

export interface TrafficDeps extends ExplainRequestDeps {
	/** Serializes reads of the log and explanations, with fair shares per key, because each reads many rows. */
	readonly pages: Turns;
	readonly reads: Pick<Reads, "read">;
	readonly cursors: Cursors;
}

/** The operation by which a partner's developer reads their own requests. */
export function routes(gate: Gate, deps: TrafficDeps): void {
	const { pages, reads, cursors } = deps;
	mount(gate, ListSandboxRequests, async ({ caller, query }) => {
		if (caller.environment !== "sandbox") return NOT_FOR_LIVE_KEYS;
		const { request_id: requestId } = query;
		if (requestId !== undefined) return await pages.take(caller.keyId, () => oneRequest(deps, caller, requestId));
		const { cursor, limit = PAGE_DEFAULT, operation, status, code } = query;
		const bound = [caller.keyId, operation, status === undefined ? undefined : String(status), code];
		const before = cursor === undefined ? null : readPlace(cursors, cursor, bound);
		if (isRefusal(before)) return before;
		const own = { keyId: caller.keyId, environment: "sandbox", q: undefined, from: undefined, to: undefined } as const;
		const filters = { ...own, operation, status, code };
		const readOn = async (on: Query) => {
			const asOf = toRfc3339(await selectReadNow(on)); // first: a page is never older than it says
			return { asOf, ...(await selectRequests(on, filters, before, limit)) };
		};
		const read = await pages.take(caller.keyId, () => reads.read([caller.keyId], readOn));
		if (isRefusal(read)) return read;
		const items = read.rows.map((request) => sandboxReply(request, request.message === null ? [] : [request.message]));
		const next_cursor = read.readTo === null ? null : writePlace(cursors, read.readTo, bound);
		return { status: 200, data: { items, next_cursor, has_more: next_cursor !== null, as_of: read.asOf } };
	});
}

/** The request with this id, if the caller's key made it, with its explanation. */
async function oneRequest(deps: ExplainRequestDeps, { keyId }: Caller, requestId: string) {
	const request = await selectRequest(deps.readDb, requestId, keyId);
	const { text } = request === null ? { text: [] } : await explainRequest(deps, request, "partner");
	const items = request === null ? [] : [sandboxReply(request, text)];
	const data = { items, next_cursor: null, has_more: false, as_of: toRfc3339(await selectNow(deps.readDb)) };
	return { status: 200, data } as const;
}

const sandboxReply = (request: LoggedRequest, explanation: readonly string[]) => ({
	...requestFields(request),
	body: request.body_in,
	reply: request.body_out,
	explanation: [...explanation],
});
