import { toRfc3339, wallClock } from "../../ground/lib/clock.ts";
import { isDay } from "../../ground/lib/instant.ts";
import { readSince } from "../../ground/lib/page.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import { readPageFrom } from "../../partners/admin/page.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { GetRequest, ListRequestErrors, ListRequests } from "./admin-contract.ts";
import { asCurl } from "./as-curl.ts";
import { type ExplainRequestDeps, explainRequest } from "./explain-request.ts";
import { selectErrorGroups, selectRequest, selectRequests } from "./list-sql.ts";
import { nextCursor, placeOf } from "./place.ts";
import { loggedReply } from "./request-reply.ts";

export interface TrafficAdminDeps extends ExplainRequestDeps {
	/** For lists, which a replica may answer. */
	readonly listDb: Query;
	/** Public addresses of the partner API and of the COA feed. */
	readonly addresses: { readonly api: string; readonly coa: string };
	readonly isOfCoa: (operation: string) => boolean;
}

const DAY_MS = 86_400_000;
const NO_REQUEST = refuse(
	"not_found",
	"The log has no request with this id: it may be too old, or was made a moment ago.",
);

/** The operations of the operator's API on the log of requests. */
export function admin(gate: Gate<Operator>, deps: TrafficAdminDeps): void {
	const { readDb, listDb } = deps;
	mount(gate, ListRequests, async ({ query }) => {
		const page = readPageFrom(query, placeOf);
		if (isRefusal(page)) return page;
		const { key, environment, operation, status, code, q } = query;
		const [from, to] = [readMoment("from", query.from), readMoment("to", query.to)];
		if (isRefusal(from)) return from;
		if (isRefusal(to)) return to;
		const named = key === undefined ? null : await selectKey(listDb, key);
		if (isRefusal(named)) return named;
		const filters = { keyId: named?.keyId ?? null, environment, operation, status, code, q, from, to };
		const read = await selectRequests(listDb, filters, page.after, page.limit);
		return { status: 200, data: { items: read.rows.map(loggedReply), next_cursor: nextCursor(read) } };
	});

	mount(gate, GetRequest, async ({ params }) => {
		const request = await selectRequest(readDb, params.request_id, null);
		if (request === null) return NO_REQUEST;
		const { text, counts } = await explainRequest(deps, request, "operator");
		const base = deps.isOfCoa(request.operation) ? deps.addresses.coa : deps.addresses.api;
		const data = {
			...loggedReply(request),
			body: request.body_in,
			reply: request.body_out,
			curl: asCurl(request, base),
			explanation: [...text],
			counts: counts as never,
		};
		return { status: 200, data };
	});

	mount(gate, ListRequestErrors, async ({ query }) => {
		const from = readMoment("from", query.from);
		if (isRefusal(from)) return from;
		const since = from ?? wallClock().getTime() - DAY_MS;
		const { rows } = await selectErrorGroups(listDb, since, query.environment);
		const items = rows.map(({ pk, last_at, ...group }) => ({ ...group, key: pk, last_at: last_at.toISOString() }));
		return { status: 200, data: { since: toRfc3339(since), items } };
	});
}

/** A time, or the beginning of a day in UTC, in epoch milliseconds. */
const readMoment = (name: string, text: string | undefined) =>
	readSince(name, text !== undefined && isDay(text) ? `${text}T00:00:00Z` : text);
