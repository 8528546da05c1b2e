import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Bytes of a request body. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Why a body cannot be read at all: 413 when it is too large, else 400, both `bad_request`. */
export interface BodyProblem {
	readonly status: 400 | 413;
	readonly message: string;
}
export type ReadBody = { readonly body: unknown } | { readonly problem: BodyProblem };

const bad = (message: string): ReadBody => ({ problem: { status: 400, message } });
const TOO_LARGE: ReadBody = {
	problem: { status: 413, message: `The body is larger than ${MAX_BODY_BYTES} bytes (1 MiB).` },
};
const EMPTY = bad("The body is empty: expected a JSON object.");
const JSON_TYPE = /^application\/json *(?:; *charset *= *"?utf-8"? *)?$/i;

/**
 * Reads one JSON object and calls `done` once, at once or later; never when the caller goes away first. `optional`: no body at all
 * counts as `{}`. Refuses what is compressed, not JSON, not UTF-8, not an object, or larger than MAX_BODY_BYTES; what is left of it flows away unread.
 */
export function readBody(request: IncomingMessage, optional: boolean, done: (read: ReadBody) => void): void {
	const problem = headersProblem(request.headers, optional);
	if (problem !== null) return done(problem);
	let first: Buffer | null = null;
	let more: Buffer[] | null = null;
	let length = 0;
	request.on("data", (chunk: Buffer) => {
		if (length > MAX_BODY_BYTES) return; // answered already
		length += chunk.length;
		if (length > MAX_BODY_BYTES) {
			first = null;
			more = null;
			done(TOO_LARGE);
		} else if (first === null) first = chunk;
		else {
			more ??= [first];
			more.push(chunk);
		}
	});
	request.on("end", () => {
		if (length > MAX_BODY_BYTES) return;
		if (first === null) return done(optional ? { body: {} } : EMPTY);
		done(parseBody(more === null ? first : Buffer.concat(more, length)));
	});
}

function headersProblem(headers: IncomingHttpHeaders, optional: boolean): ReadBody | null {
	const length = headers["content-length"];
	// first of all: of a request without a body no event ever comes (optimizeEmptyRequests)
	const none = headers["transfer-encoding"] === undefined && (length === undefined || length === "0");
	if (none) return optional ? { body: {} } : EMPTY;
	if (length !== undefined && Number(length) > MAX_BODY_BYTES) return TOO_LARGE;
	const encoding = headers["content-encoding"];
	if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
		return bad("The body is compressed (Content-Encoding): send it as it is.");
	}
	const type = headers["content-type"];
	if (type === "application/json" || (type !== undefined && JSON_TYPE.test(type))) return null;
	return bad("The body has another content type: expected Content-Type: application/json, in UTF-8.");
}

function parseBody(bytes: Buffer): ReadBody {
	if (!isUtf8(bytes)) return bad("The body is not valid UTF-8.");
	let body: unknown;
	try {
		body = JSON.parse(bytes.toString("utf8"));
	} catch {
		return bad("The body is not valid JSON.");
	}
	if (typeof body !== "object" || body === null || Array.isArray(body)) return bad("The body is not a JSON object.");
	return { body };
}
