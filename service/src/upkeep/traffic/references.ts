import type { AnsweredRequest } from "../../partners/http/answered.ts";
import { jsonText } from "./json-text.ts";

const IDEMPOTENCY_KEY = "Idempotency-Key";
/** Members of bodies and parameters of paths that say what a request is about. */
const NAMES = ["external_ref", "reservation_token", "order_ref", "external_order_id", "ref", "endpoint_id"] as const;
/** The beginnings of replies that name what a request created, and the length of the id that follows. */
const BEGINNINGS = ["reservation_token", "order_id", "endpoint_id"].map((name) => `{"data":{"${name}":"`);
const ID_LENGTH = 36;

/** The tokens and references that a request was about, each once, and its Idempotency-Key, as members of its JSON. */
export function referencesOf({ method, body, params, headers, status, sent }: AnsweredRequest): string {
	const found: string[] = [];
	addFrom(found, body);
	addFrom(found, params);
	const key = headers?.[IDEMPOTENCY_KEY];
	if (key !== undefined) add(found, key);
	if (method === "POST" && status < 300 && typeof sent === "string") addMade(found, sent);
	const about = found.length === 0 ? "" : `,"about":[${found.join(",")}]`;
	return key === undefined ? about : `${about},"idempotency_key":${jsonText(key)}`;
}

function addFrom(found: string[], source: unknown): void {
	if (typeof source !== "object" || source === null) return;
	for (const name of NAMES) {
		const value = (source as { readonly [member: string]: unknown })[name];
		if (typeof value === "string") add(found, value);
	}
}

function add(found: string[], text: string): void {
	if (text === "") return;
	const json = jsonText(text);
	if (!found.includes(json)) found.push(json);
}

/** The id with which a reply begins. */
function addMade(found: string[], sent: string): void {
	for (const beginning of BEGINNINGS) {
		// an id needs no escaping
		if (sent.startsWith(beginning)) found.push(`"${sent.slice(beginning.length, beginning.length + ID_LENGTH)}"`);
	}
}
