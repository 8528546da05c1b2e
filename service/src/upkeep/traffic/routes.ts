import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { ListSandboxRequests, NOT_FOR_LIVE_KEYS } from "./contract.ts";
import { type ExplainRequestDeps, explainRequest } from "./explain-request.ts";
import { type LoggedRequest, selectRequest, selectRequests } from "./list-sql.ts";
import { nextCursor, placeOf } from "./place.ts";
import { requestFields } from "./request-reply.ts";

/** Entries per page, as of every list of the sandbox that is read newest first. */
const PAGE_DEFAULT = 50;

export interface TrafficDeps extends ExplainRequestDeps {
	/** Serializes reads of the log and explanations, with fair shares per key, because each reads many rows. */
	readonly pages: Turns;
}

/** The operation by which a partner's developer reads their own requests. */
export function routes(gate: Gate, deps: TrafficDeps): void {
	const { readDb, pages } = deps;
	mount(gate, ListSandboxRequests, async ({ caller, query }) => {
		if (caller.environment !== "sandbox") return NOT_FOR_LIVE_KEYS;
		const { request_id: requestId } = query;
		if (requestId !== undefined) return await pages.take(caller.keyId, () => oneRequest(deps, caller, requestId));
		const { cursor, limit = PAGE_DEFAULT, operation, status, code } = query;
		const before = cursor === undefined ? null : placeOf(Buffer.from(cursor, "base64url").toString());
		if (cursor !== undefined && before === null) {
			return refuse("invalid_input", "/cursor: expected the next_cursor of another page of this list");
		}
		const own = { keyId: caller.keyId, environment: "sandbox", q: undefined, from: undefined, to: undefined } as const;
		const filters = { ...own, operation, status, code };
		const read = await pages.take(caller.keyId, () => selectRequests(readDb, filters, before, limit));
		if (isRefusal(read)) return read;
		const items = read.rows.map((request) => sandboxReply(request, request.message === null ? [] : [request.message]));
		return { status: 200, data: { items, next_cursor: nextCursor(read) } };
	});
}

/** The request with this id, if the caller's key made it, with its explanation. */
async function oneRequest(deps: ExplainRequestDeps, { keyId }: Caller, requestId: string) {
	const request = await selectRequest(deps.readDb, requestId, keyId);
	if (request === null) return { status: 200, data: { items: [], next_cursor: null } } as const;
	const { text } = await explainRequest(deps, request, "partner");
	return { status: 200, data: { items: [sandboxReply(request, text)], next_cursor: null } } as const;
}

const sandboxReply = (request: LoggedRequest, explanation: readonly string[]) => ({
	...requestFields(request),
	body: request.body_in,
	reply: request.body_out,
	explanation: [...explanation],
});
