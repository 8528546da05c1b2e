import { ERROR_STATUS, type ErrorCode } from "../../glossary.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { NO_PRIMARY } from "../../ground/lib/no-primary.ts";
import { wasUnkind } from "../../ground/lib/unkind.ts";
import type { HoldStatus } from "../../inventory/holds/hold.ts";
import type { Explanation } from "../ledger/explain.ts";
import type { HoldEvidence, KeyEvidence, OrderEvidence } from "./evidence-sql.ts";
import type { EarlierRequest, LoggedRequest } from "./list-sql.ts";

/** Who reads an explanation: a partner learns nothing about other keys, nor why credentials were refused. */
export type ExplainedTo = "operator" | "partner";

/** The facts for an explanation, besides the row of the log. */
export interface RefusalEvidence {
	/** The key whose public half was sent; null: no key has it. */
	readonly key: KeyEvidence | null;
	readonly holds: readonly HoldEvidence[];
	readonly orders: readonly OrderEvidence[];
	/** Earlier requests of the key about the same references, the newest first. */
	readonly earlier: readonly EarlierRequest[];
	/** Requests of the key in the 60 seconds before, by operation. */
	readonly window: readonly { readonly operation: string; readonly count: number }[];
	/** The counts of the SKUs that were asked for, at the instant of the decision. */
	readonly counts: readonly Explanation[];
	/** The scope of the operation; null: it needs none. */
	readonly scope: string | null;
	/** The API dates that are accepted. */
	readonly dates: readonly string[];
}

/**
 * Why a request was refused, in sentences: what it asked for, what the state was at that instant, and what to do. Empty
 * for a request that was not refused. Pure.
 */
export function explanationOf(request: LoggedRequest, evidence: RefusalEvidence, reader: ExplainedTo): string[] {
	const { code, message, request_id } = request;
	if (code === null) return [];
	const said = message === null ? [] : [message];
	if (wasUnkind(request_id, message)) return [...said, UNKIND];
	const rule = isCode(code) ? RULES[code] : undefined;
	return [...said, ...(rule?.(request, evidence, reader) ?? [])];
}

const UNKIND =
	"This was an act of the unkind hour of the key's go-live: it answers one request in twenty like this, chosen by the request id, not because of anything in the request.";

const PRIMARY_WAS_MISSING =
	"The service had found no database that takes writes for some seconds: no limit of the key was exceeded.";

const isCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_STATUS, code);

type ExplainCode = (request: LoggedRequest, evidence: RefusalEvidence, reader: ExplainedTo) => readonly string[];

/** How each code of the partner's contract is explained, in addition to the message of the reply. */
const RULES: { readonly [code in ErrorCode]?: ExplainCode } = {
	unauthorized: (request, { key }, reader) => (reader === "partner" ? [] : credentials(request, key)),
	forbidden: (_request, { key, scope }) =>
		key === null || scope === null
			? []
			: [`The operation needs the scope ${scope}. The key now has: ${key.scopes.join(", ") || "none"}.`],
	brand_mismatch: (_request, { key }) =>
		key === null
			? []
			: [
					key.brand_code === null
						? "The key is bound to no brand."
						: `The key is bound to the brand ${key.brand_code}.`,
				],
	rate_limited: (request, { key, window }, reader) => {
		if (request.message === NO_PRIMARY.message) return [PRIMARY_WAS_MISSING];
		if (request.key_id !== null || reader === "partner") return limits(key, window);
		return request.auth_failure === null
			? [] // it was not decided yet: the message says what it waited for
			: [`The request counted for the address ${request.address}, which had failed to authenticate too often.`];
	},
	unsupported_version: ({ date_sent }, { dates }) => [
		`${date_sent === null ? "The request named no API date" : `The request named the API date ${date_sent}`}. Accepted are: ${dates.join(", ")}.`,
	],
	no_inventory: shortage,
	retry: () => [
		"Another transaction kept a row that the request needed. Nothing was done, and the same request may be sent again.",
	],
	hold_race: () => ["Another request changed the hold at the same moment. Nothing was done, and it may be sent again."],
	internal_error: ({ request_id }) => [
		`Holdfast failed, or could not reach its database. The service's log has the cause under the request id ${request_id}.`,
	],
	shipstation_error: () => ["The label platform did not do what was asked of it. Its own log has the reason."],
	idempotency_conflict: same,
	idempotency_mismatch: same,
	not_found: things,
	gone: things,
	kit_incomplete: things,
	not_consumed: things,
	not_reversible: things,
	order_forbidden: things,
	order_not_cancellable: things,
	order_not_found: things,
	reservation_empty: things,
	reservation_expired: things,
	reservation_forbidden: things,
	reservation_gone: things,
	reservation_not_found: things,
	reservation_used: things,
	wrong_state: things,
};

/** The codes for which the message says everything: it names the part of the request and what was expected there. */
export const SAID_BY_MESSAGE: ReadonlySet<ErrorCode> = new Set([
	"bad_request",
	"invalid_input",
	"invalid_item",
	"invalid_customer",
	"idempotency_required",
	"unknown_brand_code",
	"unresolved_stack",
]);
export const isExplained = (code: ErrorCode): boolean => RULES[code] !== undefined || SAID_BY_MESSAGE.has(code);

const at = (time: Date | number): string => toRfc3339(Number(time));

/** Which half failed, and since when the key has ended. */
function credentials({ auth_failure: why, pk, at: asked }: LoggedRequest, key: KeyEvidence | null): string[] {
	if (why === "malformed") return ["The request had no credentials, or they did not have the form of a key."];
	if (key === null || why === "unknown") {
		return [`No key had the public half ${pk ?? "that was sent"} when the request arrived: the first half is wrong.`];
	}
	const named = `The public half is that of the key "${key.name}" of ${key.partner}`;
	const since = (time: Date | null): string => (time === null ? "" : ` since ${at(time)}`);
	switch (why) {
		case "wrong_secret":
			return [`${named}, but the second half is not its secret.`];
		case "replaced":
			return [`${named}. Its secret was replaced${since(key.secret_at)}, and the old one no longer works.`];
		case "revoked":
			return [`${named}, which has been revoked${since(key.revoke_at)}.`];
		case "expired":
			return [`${named}, which has expired${since(key.expires_at)}.`];
		case "suspended":
			return [
				`${named}, which was suspended at ${at(asked)}. It ${key.suspended ? "still is" : "has been resumed since"}.`,
			];
		case "drill":
			return [
				`${named}, which was refused for a drill of its go-live. The drill ends automatically after ten minutes.`,
			];
		default:
			return [`${named}, which ended while the request was under way.`];
	}
}

function limits(key: KeyEvidence | null, window: RefusalEvidence["window"]): string[] {
	if (key === null) return [];
	const made = window.reduce((sum, { count }) => sum + count, 0);
	const by = window.map(({ operation, count }) => `${count} ${operation}`).join(", ");
	return [
		`The key may make ${key.requests_per_minute} requests in 60 seconds${key.max_held_units === null ? "" : `, and hold ${key.max_held_units} units at a time`}.`,
		...(made === 0 ? [] : [`In the 60 seconds up to this request the log has ${made} of them: ${by}.`]),
	];
}

/** The counts at the instant of the decision, by pool; for the operator, also who had the rest. */
function shortage(request: LoggedRequest, { counts }: RefusalEvidence, reader: ExplainedTo): string[] {
	const asked = request.items ?? [];
	return counts.flatMap((count) => [
		`At ${count.at} ${count.counts.atp_qty} of ${JSON.stringify(count.sku)} could be promised; asked for: ${asked
			.filter(({ sku }) => sku === count.sku)
			.map(({ qty }) => qty)
			.join(" and ")}.`,
		...count.components.flatMap(({ formula, pools }) => pools.map((pool) => inPool(formula, pool, reader))),
	]);
}

type ExplainedPool = Explanation["components"][number]["pools"][number];

function inPool(
	formula: string,
	{ brand_code, available_units, promised_units, lots }: ExplainedPool,
	reader: ExplainedTo,
): string {
	const where = brand_code === null ? "the shared pool" : `the pool of ${brand_code}`;
	const sum = (of: (lot: (typeof lots)[number]) => number): number => lots.reduce((total, lot) => total + of(lot), 0);
	const parts = [
		[available_units, "available"],
		[promised_units, "promised elsewhere"],
		...(reader === "partner"
			? []
			: ([
					[sum(({ held, lapsed_units }) => held - lapsed_units), "in holds"],
					[sum(({ allocated }) => allocated), "in orders"],
					[sum(({ quarantined }) => quarantined), "in quarantine"],
					[sum((lot) => (lot.in_date ? 0 : lot.available)), "out of date"],
				] as const)),
	] as const;
	const said = parts.filter(([units], index) => index === 0 || units > 0).map(([units, what]) => `${units} ${what}`);
	return `${formula} in ${where}: ${said.join(", ")} (units).`;
}

/** Earlier requests under the same references. */
function same(_request: LoggedRequest, { earlier }: RefusalEvidence): string[] {
	return earlier
		.filter(({ status }) => status < 300)
		.slice(0, 1)
		.map(
			({ at: when, operation, request_id }) =>
				`The reference was used at ${at(when)} by the request ${request_id} (${operation}), and its contents were different.`,
		);
}

/** The state, at that time, of the holds and orders that a request named. */
function things(request: LoggedRequest, { holds, orders, earlier }: RefusalEvidence, reader: ExplainedTo): string[] {
	const mayTell = (thing: { readonly own: boolean }): boolean => thing.own || reader === "operator";
	const told = [
		...holds.filter(mayTell).map((hold) => heldThen(hold, request.at)),
		...orders.filter(mayTell).map((order) => orderThen(order, request.at)),
	];
	const before = earlier
		.filter(({ status }) => status < 300)
		.slice(0, 3)
		.map(({ at: when, operation, request_id }) => `Before it, ${operation} succeeded at ${at(when)} (${request_id}).`);
	return told.length + before.length > 0
		? [...told, ...before]
		: ["Nothing with these references exists for the key, and the log has no earlier success with them."];
}

export function stateThen(hold: HoldEvidence, when: number): HoldStatus | "not made" {
	if (Number(hold.created_at) > when) return "not made";
	if (hold.ended_at !== null && Number(hold.ended_at) <= when) return hold.status;
	return Number(hold.expires_at) <= when && hold.status !== "placed" ? "expired" : "active";
}

function heldThen(hold: HoldEvidence, when: number): string {
	const whose = hold.own ? "of this key" : `of another key, ${hold.key}`;
	const state = stateThen(hold, when);
	const since =
		state === "active" || state === "not made"
			? ""
			: ` since ${at(state === "expired" ? hold.expires_at : (hold.ended_at ?? hold.expires_at))}`;
	return `The hold ${hold.token} ${whose} was ${state === "not made" ? "not made yet" : `${state}${since}`}.`;
}

function orderThen(order: OrderEvidence, when: number): string {
	const whose = order.own ? "of this key" : `of another key, ${order.key}`;
	const steps = [
		["placed", order.placed_at],
		["picked", order.picked_at],
		["shipped", order.shipped_at],
		["cancelled", order.cancelled_at],
	] as const;
	const done = steps
		.filter(([, time]) => time !== null && Number(time) <= when)
		.map(([what, time]) => `${what} ${at(time as Date)}`);
	return `The order ${order.ref} ${whose} was by then: ${done.join(", ") || "not placed yet"}. It is now ${order.status}.`;
}
