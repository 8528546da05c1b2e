import { toRfc3339 } from "../../../service/src/ground/lib/clock.ts";
import type { Cursors } from "../../../service/src/ground/lib/cursor.ts";
import { isRefusal } from "../../../service/src/ground/lib/refusal.ts";
import type { AnsweredRequest, RecordAnswered } from "../../../service/src/partners/http/answered.ts";
import { createApiDates } from "../../../service/src/partners/http/api-date.ts";
import { type Gate, mount } from "../../../service/src/partners/http/mount.ts";
import type { Operation } from "../../../service/src/partners/http/operation.ts";
import { WINDOW_SECONDS } from "../../../service/src/partners/http/rate-limit.ts";
import type { CachedKey } from "../../../service/src/partners/keys/key-cache.ts";
import { ListSandboxRequests, NOT_FOR_LIVE_KEYS } from "../../../service/src/upkeep/traffic/contract.ts";
import { explanationOf, type RefusalEvidence } from "../../../service/src/upkeep/traffic/explanation.ts";
import { keptRequest } from "../../../service/src/upkeep/traffic/kept-request.ts";
import type { LoggedRequest } from "../../../service/src/upkeep/traffic/list-sql.ts";
import { readPlace, writePlace } from "../../../service/src/upkeep/traffic/place.ts";
import { requestFields } from "../../../service/src/upkeep/traffic/request-reply.ts";
import type { MemoryEngine } from "./engine.ts";
import type { Rows } from "./rows.ts";

/** Entries per page, and the number of earlier requests that are searched, as in the service. */
const PAGE_DEFAULT = 100;
const MOST_EARLIER = 10;

interface Means {
	readonly rows: Rows;
	readonly engine: MemoryEngine;
	/** The key as it is now. */
	readonly key: () => CachedKey;
	/** Every operation that is mounted, by id. */
	readonly operations: ReadonlyMap<string, Operation>;
	readonly cursors: Cursors;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** Keeps answered requests, as the service's log does. `now`: milliseconds since 1970. */
export const requestRecorder =
	(rows: Rows, { caller }: CachedKey, now: () => number): RecordAnswered =>
	(answered) => {
		// a request takes no time of the fake's clock, so it arrived at the instant at which it is answered
		const kept = keptRequest(answered, Math.ceil(now() + answered.ms));
		if (kept !== null) rows.requests.push(loggedOf(answered, { ...NOTHING_TOLD, ...JSON.parse(kept.json) }, caller.pk));
	};

type Told = Omit<LoggedRequest, "sandbox" | "key_id" | "pk" | "key_name" | "partner" | "operation" | "status" | "code">;

/** The members that a row of the log leaves out, with the values that this means. */
const NOTHING_TOLD = {
	auth_failure: null,
	message: null,
	bytes_in: 0,
	bytes_out: 0,
	date_sent: null,
	user_agent: null,
	about: [],
	idempotency_key: null,
	decided_at: null,
	items: null,
	body_in: null,
	body_out: null,
};

function loggedOf({ operation, status, code, caller }: AnsweredRequest, told: Told, pk: string): LoggedRequest {
	const key = caller as CachedKey["caller"] | null;
	const owner = { key_id: key?.keyId ?? null, pk, key_name: null, partner: null };
	return { ...told, ...owner, sandbox: key?.environment === "sandbox", operation, status, code: code ?? null };
}

/** The key's own requests. An explanation has no figures of past counts, for which the service reads its ledger. */
export function requestOperation(gate: Gate, means: Means): void {
	const { rows, cursors, now } = means;
	mount(gate, ListSandboxRequests, async ({ caller, query }) => {
		if (caller.environment !== "sandbox") return NOT_FOR_LIVE_KEYS;
		const { request_id, cursor, limit = PAGE_DEFAULT, operation, status, code } = query;
		const own = rows.requests.filter(({ key_id }) => key_id === caller.keyId);
		if (request_id !== undefined) {
			const found = own.find((one) => one.request_id === request_id);
			const items =
				found === undefined ? [] : [replyOf(found, explanationOf(found, evidenceOf(means, found), "partner"))];
			return { status: 200, data: { items, next_cursor: null, has_more: false, as_of: toRfc3339(now()) } };
		}
		const bound = [caller.keyId, operation, status === undefined ? undefined : String(status), code];
		const before = cursor === undefined ? null : readPlace(cursors, cursor, bound);
		if (isRefusal(before)) return before;
		const listed = own
			.filter(
				(one) =>
					(operation ?? one.operation) === one.operation &&
					(status ?? one.status) === one.status &&
					(code === undefined || code === one.code) &&
					(before === null || isBefore(one, before)),
			)
			.reverse();
		const page = listed.slice(0, limit);
		const last = listed.length > limit ? page.at(-1) : undefined;
		const next_cursor =
			last === undefined ? null : writePlace(cursors, { at: last.at, requestId: last.request_id }, bound);
		const items = page.map((one) => replyOf(one, one.message === null ? [] : [one.message]));
		return { status: 200, data: { items, next_cursor, has_more: last !== undefined, as_of: toRfc3339(now()) } };
	});
}

const isBefore = (one: LoggedRequest, place: { readonly at: number; readonly requestId: string }): boolean =>
	one.at < place.at || (one.at === place.at && one.request_id < place.requestId);

const replyOf = (request: LoggedRequest, explanation: readonly string[]) => ({
	...requestFields(request),
	body: request.body_in,
	reply: request.body_out,
	explanation: [...explanation],
});

const DATES = createApiDates().accepted.map(({ date }) => date);

function evidenceOf({ rows, engine, key, operations }: Means, request: LoggedRequest): RefusalEvidence {
	const { caller, name, suspended, issuedAt, expiresAt, revokeAt } = key();
	const { about, at } = request;
	const { holds } = engine.open();
	const isNamed = (...names: readonly (string | null)[]): boolean =>
		names.some((one) => one !== null && (about.includes(one) || about.some((text) => text.toLowerCase() === one)));
	const own = { own: true, key: caller.pk } as const;
	const before = rows.requests.filter((one) => one.key_id === request.key_id && one.at < at);
	return {
		key: {
			pk: caller.pk,
			name,
			partner: "",
			brand_code: caller.brandCode,
			scopes: [...caller.scopes],
			requests_per_minute: caller.requestsPerMinute,
			max_held_units: caller.maxHeldUnits,
			suspended,
			created_at: new Date(issuedAt),
			expires_at: dateOf(expiresAt),
			revoke_at: dateOf(revokeAt),
			secret_at: new Date(issuedAt),
		},
		holds: [...holds.byToken.values()]
			.filter(({ reservationToken, externalRef, consumeRef }) => isNamed(reservationToken, externalRef, consumeRef))
			.map((hold) => ({
				...own,
				token: hold.reservationToken,
				status: hold.status,
				external_ref: hold.externalRef,
				consume_ref: hold.consumeRef,
				created_at: new Date(hold.createdAt),
				expires_at: new Date(hold.expiresAt),
				ended_at: dateOf(rows.endedAt.get(hold.reservationToken) ?? null),
			})),
		orders: [...rows.orders.values()]
			.filter(({ orderId, reservationToken, ref }) => isNamed(orderId, reservationToken, ref))
			.map((order) => ({
				...own,
				order_id: order.orderId,
				ref: order.ref,
				status: order.status,
				hold_reason: order.holdReason,
				placed_at: new Date(order.placedAt),
				picked_at: dateOf(order.pickedAt),
				shipped_at: dateOf(order.shippedAt),
				cancelled_at: dateOf(order.cancelledAt),
			})),
		earlier: before
			.filter((one) => one.about.some((text) => about.includes(text)))
			.reverse()
			.slice(0, MOST_EARLIER),
		window: windowOf(before.filter((one) => one.at > at - WINDOW_SECONDS * 1_000)),
		counts: [],
		scope: operations.get(request.operation)?.scope ?? null,
		dates: DATES,
	};
}

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

function windowOf(requests: readonly LoggedRequest[]): RefusalEvidence["window"] {
	const byOperation = Map.groupBy(requests, ({ operation }) => operation);
	return [...byOperation].map(([operation, all]) => ({ operation, count: all.length }));
}
