import { secondOfOwn } from "../../ground/lib/ids.ts";
import type { AnsweredRequest } from "../../partners/http/answered.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { intact, PUBLIC_HALF } from "../../partners/keys/token.ts";
import { bodyText, jsonText, usualText } from "./json-text.ts";
import { MAX_BODY_BYTES, MAX_ITEMS, MAX_MESSAGE, MAX_URL } from "./limits.ts";
import { referencesOf } from "./references.ts";

export interface KeptRequest {
	readonly sandbox: boolean;
	/** The key whose token was sent, even if it has ended; null: no token of a key was sent. */
	readonly keyId: string | null;
	/**
	 * When it arrived, in epoch milliseconds: within the second that its id names, even if the clock was set in the
	 * meantime.
	 */
	readonly at: number;
	/** Everything else, as a JSON object. Built by hand, because every request pays for it. */
	readonly json: string;
}

/** The surfaces whose callers are partners' keys, so that their callers are of the type Caller. */
const SURFACES_OF_PARTNERS: ReadonlySet<string> = new Set(["partner", "coa"]);
/** The operation of an unknown path. */
const NO_OPERATION = "none";
/** The last millisecond of a second. */
const LAST_MS = 999;

/**
 * What is kept of an answered request; null if it is not a partner's: an operator's, one that needs no key, or one to
 * an unknown path without a key of ours. `nowMs`: the wall clock, in epoch milliseconds.
 */
export function keptRequest(answered: AnsweredRequest, nowMs: number): KeptRequest | null {
	const { surface, operation, requestId, unauthenticated, authorization, ms } = answered;
	const isOfPartners = surface !== null && SURFACES_OF_PARTNERS.has(surface);
	if (!isOfPartners && (surface !== null || operation !== NO_OPERATION)) return null;
	const caller = isOfPartners ? (answered.caller as Caller | null) : null;
	const sentPk = caller === null ? publicHalfIn(authorization) : null;
	if (caller === null && unauthenticated === null && sentPk === null) return null;
	const second = secondOfOwn(requestId);
	const at = Math.min(Math.max(second, Math.floor(nowMs - ms)), second + LAST_MS);
	const sandbox = caller?.environment === "sandbox";
	const parts = [
		factsOf(answered, at),
		sentPk === null ? "" : `,"sent_pk":"${sentPk}"`,
		unauthenticated === null ? "" : `,"auth_failure":"${unauthenticated}"`,
		referencesOf(answered),
		answered.refusal === null ? "" : refusalOf(answered.refusal),
		sandbox ? bodiesOf(answered) : "",
	];
	return { sandbox, keyId: caller?.keyId ?? null, at, json: `{${parts.join("")}}` };
}

function factsOf(answered: AnsweredRequest, at: number): string {
	const { requestId, method, url, ms, received, bytesSent, dateSent, dateUsed, address, userAgent } = answered;
	return (
		`"at":${at},"request_id":"${requestId}","method":${usualText(method)},"url":${usualText(url, MAX_URL)}` +
		`,"ms":${Math.round(ms * 10) / 10},"date_used":"${dateUsed}","address":${usualText(address)}` +
		(received === null ? "" : `,"bytes_in":${received.length}`) +
		(bytesSent === 0 ? "" : `,"bytes_out":${bytesSent}`) +
		(dateSent === undefined ? "" : `,"date_sent":${usualText(dateSent)}`) +
		(userAgent === undefined ? "" : `,"user_agent":${usualText(userAgent)}`)
	);
}

/** The message of a refusal, its Retry-After, and, if a rule decided it, the items that it decided on, and when. */
function refusalOf({ message, retryAfter, facts }: NonNullable<AnsweredRequest["refusal"]>): string {
	const again = retryAfter === undefined ? "" : `,"retry_after":${Math.ceil(retryAfter)}`;
	const said = `,"message":${jsonText(message, MAX_MESSAGE)}${again}`;
	if (facts === undefined) return said;
	const items = facts.items.slice(0, MAX_ITEMS).map(({ sku, qty, brandCode: brand }) => {
		const named = brand === undefined ? "" : `,"brand_code":${jsonText(brand)}`;
		return `{"sku":${jsonText(sku)},"qty":${qty}${named}}`;
	});
	return `${said},"decided_at":${facts.at},"items":[${items.join(",")}]`;
}

/** The bodies of a request, as text, up to the limit. */
function bodiesOf({ received, sent }: AnsweredRequest): string {
	const reply = typeof sent === "string" || sent instanceof Buffer ? bodyText(sent, MAX_BODY_BYTES) : null;
	return (
		(received === null ? "" : `,"body_in":${bodyText(received, MAX_BODY_BYTES)}`) +
		(reply === null ? "" : `,"body_out":${reply}`)
	);
}

const SENT_PK = new RegExp(`\\b(pk_hf_(?:live|sandbox)_${PUBLIC_HALF}):`);

/** The public half in a header Authorization, if it has the form of one of ours. */
function publicHalfIn(authorization: string | undefined): string | null {
	const pk = SENT_PK.exec(authorization ?? "")?.[1];
	return pk !== undefined && intact(pk) ? pk : null;
}
