import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { type BodyAccount, UNCOUNTED_BYTES } from "./body-budget.ts";
import { boundaryOf, MAX_FORM_BYTES, readForm, type UploadedFile } from "./form.ts";
import { readJson } from "./json.ts";

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Seconds after which a body that exceeded the budget may be sent again. */
const ROOM_AFTER_SECONDS = 1;

/**
 * The body, or the reason it could not be read: 413 if it is too large, otherwise the status of its code. `bytes`: the
 * body as it arrived; absent if there was none, if the rest of it was discarded, and for a form.
 */
export type ReadBody = (
	| { readonly body: object; readonly files: readonly UploadedFile[] }
	| { readonly problem: Refusal<"bad_request" | "rate_limited">; readonly status?: number }
) & { readonly bytes?: Buffer };

export interface BodyRules {
	/** A missing body counts as `{}`. */
	readonly optional: boolean;
	/** Maximum number of values; a body with more is refused before it is parsed (route.ts). */
	readonly mostValues: number;
	/** Maximum number of files in a multipart body; 0: the body must be JSON. */
	readonly mostFiles: number;
	/** Starts to count the body against the budget of bodies in flight, or that of forms. Called only if needed. */
	readonly account: (kind: BodyKind) => BodyAccount;
}

/** The format of a body: a JSON object, or a form with that object in its part `data`, and files beside it. */
export type BodyKind = "json" | "form";
/** The boundary of a body that is a form; null: the body is JSON. */
type Boundary = string | null;

const bad = (message: string): ReadBody => ({ problem: refuse("bad_request", message) });
const tooLarge = (limit: number): ReadBody => ({
	problem: refuse("bad_request", `The body is larger than ${limit} bytes (${limit / 1024 / 1024} MiB).`),
	status: 413,
});
const NO_ROOM: ReadBody = {
	problem: refuse(
		"rate_limited",
		"Too many large bodies of this key, or of all keys, are being received. Nothing was done.",
		ROOM_AFTER_SECONDS,
	),
};
const EMPTY = bad("The body is empty: expected a JSON object, {} if there is nothing to send.");
const NONE: ReadBody = { body: {}, files: [] };
const JSON_TYPE = /^application\/json *(?:; *charset *= *"?utf-8"? *)?$/i;

/**
 * Reads one JSON object, or a form where files are expected, and calls `done` once, synchronously or later; never if
 * the caller disconnects first. Refuses a body that is compressed, not JSON, not UTF-8, not an object, larger than
 * MAX_BODY_BYTES (a form: MAX_FORM_BYTES) or over the budget; the rest of such a body is discarded unread.
 */
export function readBody(request: IncomingMessage, rules: BodyRules, done: (read: ReadBody) => void): void {
	const { headers } = request;
	const boundary = rules.mostFiles === 0 ? null : boundaryOf(headers["content-type"] ?? "");
	const limit = boundary === null ? MAX_BODY_BYTES : MAX_FORM_BYTES;
	const problem = headersProblem(headers, rules, boundary, limit);
	if (problem !== null) return done(problem);
	const room = roomFor(headers, () => rules.account(boundary === null ? "json" : "form"));
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
		if (length > limit) stop(tooLarge(limit));
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
		const bytes = more === null ? first : Buffer.concat(more, length);
		more = null;
		done(boundary === null ? { ...parseBody(bytes, rules.mostValues), bytes } : parseForm(bytes, boundary, rules));
	});
}

function headersProblem(
	headers: IncomingHttpHeaders,
	{ optional, mostFiles }: BodyRules,
	boundary: Boundary,
	limit: number,
): ReadBody | null {
	const length = headers["content-length"];
	// first, because a request without a body never emits an event (optimizeEmptyRequests)
	const none = headers["transfer-encoding"] === undefined && (length === undefined || length === "0");
	if (none) return optional ? NONE : EMPTY;
	if (length !== undefined && Number(length) > limit) return tooLarge(limit);
	const encoding = headers["content-encoding"];
	if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
		return bad("The body is compressed (Content-Encoding): send it uncompressed.");
	}
	const type = headers["content-type"];
	if (boundary !== null || type === "application/json" || (type !== undefined && JSON_TYPE.test(type))) return null;
	const orForm = mostFiles === 0 ? "" : ", or multipart/form-data with its boundary";
	return bad(`Unsupported content type: send application/json in UTF-8${orForm}.`);
}

/**
 * Returns a function that reserves budget for the bytes received so far. An announced length is reserved in full before
 * the first byte; otherwise bytes are reserved as they arrive.
 */
function roomFor(headers: IncomingHttpHeaders, open: () => BodyAccount): (length: number) => boolean {
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
	return "problem" in read ? bad(read.problem) : { ...read, files: [] };
}

/** A form without `data` counts as `{}`. */
function parseForm(bytes: Buffer, boundary: string, { mostFiles, mostValues }: BodyRules): ReadBody {
	const form = readForm(bytes, boundary, mostFiles);
	if ("problem" in form) return bad(form.problem);
	if (form.data === null) return { body: {}, files: form.files };
	if (form.data.length > MAX_BODY_BYTES) return bad(`The form's part \`data\` is larger than ${MAX_BODY_BYTES} bytes.`);
	const read = parseBody(form.data, mostValues);
	return "problem" in read ? read : { ...read, files: form.files };
}
