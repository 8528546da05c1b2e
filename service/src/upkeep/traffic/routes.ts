import { refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { ListSandboxRequests, NOT_FOR_LIVE_KEYS } from "./contract.ts";
import { type ExplainRequestDeps, explainRequest } from "./explain-request.ts";
import { type LoggedRequest, selectRequest, selectRequests } from "./list-sql.ts";
import { nextCursor, placeOf } from "./place.ts";
import { requestFields } from "./request-reply.ts";

/** Entries per page, as of every list of the sandbox that is read newest first. */
const PAGE_DEFAULT = 50;

/** The operation by which a partner's developer reads their own requests. */
export function routes(gate: Gate, deps: ExplainRequestDeps): void {
	const { readDb } = deps;
	mount(gate, ListSandboxRequests, async ({ caller, query }) => {
		if (caller.environment !== "sandbox") return NOT_FOR_LIVE_KEYS;
		if (query.request_id !== undefined) return await oneRequest(deps, caller, query.request_id);
		const { cursor, limit = PAGE_DEFAULT, operation, status, code } = query;
		const before = cursor === undefined ? null : placeOf(Buffer.from(cursor, "base64url").toString());
		if (cursor !== undefined && before === null) {
			return refuse("invalid_input", "/cursor: expected the next_cursor of another page of this list");
		}
		const own = { keyId: caller.keyId, environment: "sandbox", q: undefined, from: undefined, to: undefined } as const;
		const read = await selectRequests(readDb, { ...own, operation, status, code }, before, limit);
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
