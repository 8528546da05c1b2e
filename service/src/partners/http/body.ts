import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { type BodyAccount, UNCOUNTED_BYTES } from "./body-budget.ts";
import { readJson } from "./json.ts";

/** Maximum bytes of a request body. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Seconds after which a body that exceeded the budget may be sent again. */
const ROOM_AFTER_SECONDS = 1;

/** The body, or the reason it could not be read: 413 if it is too large, otherwise the status of its code. */
export type ReadBody =
	| { readonly body: object }
	| { readonly problem: Refusal<"bad_request" | "rate_limited">; readonly status?: number };

export interface BodyRules {
	/** A missing body counts as `{}`. */
	readonly optional: boolean;
	/** Values in it that are worth reading: see route.ts. */
	readonly mostValues: number;
	/** Opens its account in the budget of bodies in flight; called only if needed. */
	readonly account: () => BodyAccount;
}

const bad = (message: string): ReadBody => ({ problem: refuse("bad_request", message) });
const TOO_LARGE: ReadBody = {
	problem: refuse("bad_request", `The body is larger than ${MAX_BODY_BYTES} bytes (1 MiB).`),
	status: 413,
};
const NO_ROOM: ReadBody = {
	problem: refuse(
		"rate_limited",
		"Too many large bodies of this key, or of all keys, are on their way. Nothing was done.",
		ROOM_AFTER_SECONDS,
	),
};
const EMPTY = bad("The body is empty: expected a JSON object, {} if there is nothing to say.");
const NONE: ReadBody = { body: {} };
const JSON_TYPE = /^application\/json *(?:; *charset *= *"?utf-8"? *)?$/i;

/**
 * Reads one JSON object and calls `done` once, synchronously or later; never if the caller disconnects first. Refuses a
 * body that is compressed, not JSON, not UTF-8, not an object, larger than MAX_BODY_BYTES or over the budget; the rest
 * of such a body is discarded unread.
 */
export function readBody(request: IncomingMessage, rules: BodyRules, done: (read: ReadBody) => void): void {
	const { headers } = request;
	const problem = headersProblem(headers, rules.optional);
	if (problem !== null) return done(problem);
	const room = roomFor(headers, rules.account);
	if (!room(0)) return done(NO_ROOM);
	let first: Buffer | null = null;
	let more: Buffer[] | null = null;
	let length = 0;
	let over = false;
	const stop = (why: ReadBody): void => {
		over = true;
		first = null;
		more = null;
		done(why);
	};
	request.on("data", (chunk: Buffer) => {
		if (over) return; // already answered
		length += chunk.length;
		if (length > MAX_BODY_BYTES) stop(TOO_LARGE);
		else if (!room(length)) stop(NO_ROOM);
		else if (first === null) first = chunk;
		else {
			more ??= [first];
			more.push(chunk);
		}
	});
	request.on("end", () => {
		if (over) return;
		if (first === null) return done(rules.optional ? NONE : EMPTY);
		done(parseBody(more === null ? first : Buffer.concat(more, length), rules.mostValues));
	});
}

function headersProblem(headers: IncomingHttpHeaders, optional: boolean): ReadBody | null {
	const length = headers["content-length"];
	// first, because a request without a body never emits an event (optimizeEmptyRequests)
	const none = headers["transfer-encoding"] === undefined && (length === undefined || length === "0");
	if (none) return optional ? NONE : EMPTY;
	if (length !== undefined && Number(length) > MAX_BODY_BYTES) return TOO_LARGE;
	const encoding = headers["content-encoding"];
	if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
		return bad("The body is compressed (Content-Encoding): send it as it is.");
	}
	const type = headers["content-type"];
	if (type === "application/json" || (type !== undefined && JSON_TYPE.test(type))) return null;
	return bad("Unsupported content type: send application/json in UTF-8.");
}

/**
 * Returns a function that reserves budget for the bytes received so far. An announced length is reserved in full before
 * the first byte; otherwise bytes are reserved as they arrive.
 */
function roomFor(headers: IncomingHttpHeaders, open: BodyRules["account"]): (length: number) => boolean {
	const announced = Number(headers["content-length"] ?? 0);
	let account: BodyAccount | null = null;
	let counted = UNCOUNTED_BYTES;
	return (come) => {
		const length = Math.max(announced, come);
		if (length <= counted) return true;
		account ??= open();
		if (!account.take(length - counted)) return false;
		counted = length;
		return true;
	};
}

function parseBody(bytes: Buffer, mostValues: number): ReadBody {
	if (!isUtf8(bytes)) return bad("The body is not valid UTF-8.");
	const read = readJson(bytes, mostValues);
	return "problem" in read ? bad(read.problem) : read;
}
