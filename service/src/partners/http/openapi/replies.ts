import type { TSchema } from "typebox";
import type { ErrorCode } from "../../../glossary.ts";
import { must } from "../../../ground/lib/assert.ts";
import type { Shape } from "../api-date.ts";
import { MAX_BODY_BYTES } from "../body.ts";
import { failedMessage, KEYLESS_ERRORS, statusOf } from "../errors.ts";
import type { Operation } from "../operation.ts";
import type { SurfaceDocument } from "../surface.ts";
import type { Components, Json, JsonObject } from "./schemas.ts";

const header = (description: string, example: string, required: boolean): JsonObject => ({
	description,
	required,
	schema: { type: "string" },
	example,
});

const RETRY_AFTER = header("Whole seconds to wait, never 0.", "1", true);

/** Every header of a reply, once. */
export const headersOf = ({ security: { caller, challenge } }: SurfaceDocument) =>
	({
		"X-Partner-Version": header("The API date in force for this reply.", "2026-09-06", true),
		"X-Request-Id": header("Names this request; quote it when you ask about it.", "req_5f1c0a9be2d17c3e90b4a862", true),
		"RateLimit-Policy": header(`Requests (\`q\`) in any \`w\` seconds, per ${caller}.`, `"${caller}";q=60;w=60`, true),
		RateLimit: header("Requests left (`r`), and seconds (`t`) until there are more.", `"${caller}";r=59;t=60`, true),
		"Retry-After": RETRY_AFTER,
		"WWW-Authenticate": header("How to authenticate.", challenge, true),
		ETag: header(
			"Send it back in If-None-Match; it does not change if the reply differs only in `as_of`.",
			'W/"z6hCm1Ql2h0mJX0sW0gkq3tQe8A"',
			true,
		),
		"Cache-Control": header("Whether a reply may be kept.", "no-store", true),
		Link: header(
			"Where the code is explained.",
			'<https://api.example.com/docs/errors/invalid_input>; rel="help"',
			true,
		),
	}) satisfies JsonObject;
type HeaderName = keyof ReturnType<typeof headersOf>;

/** The headers of every reply of this surface. */
const always = ({ dates }: SurfaceDocument): HeaderName[] => [
	...(dates === null ? [] : (["X-Partner-Version"] as const)),
	"X-Request-Id",
	"Cache-Control",
];

const COMMON_EXAMPLES: { readonly [C in ErrorCode]?: string } = {
	bad_request: "The body is not valid JSON.",
	invalid_input: "/items/0/qty: expected an integer; /colour: unknown field.",
	unsupported_version: "The API date 2031-01-01 is not supported. Accepted dates: 2026-09-06.",
	rate_limited: "More than 60 requests in 60 seconds. Try again in 12 s.",
	second_factor_needed: "A second factor is required here: add one to your account first.",
};

const statusWords = (caller: string): { readonly [status: number]: string } => ({
	400: "The request cannot be understood.",
	401: "Missing or invalid credentials.",
	403: `The ${caller} may not do this.`,
	404: `Not found, or not visible to this ${caller}.`,
	409: "The current state does not allow this.",
	410: "The hold has ended.",
	413: "The body is too large.",
	422: "The request names something that cannot be used.",
	429: "Too many requests.",
	500: "Something failed on our side.",
	502: "A system that we depend on failed.",
});

/** Examples of headers that operations add; `Idempotent-Replayed` is `true` or absent. */
const REPLY_HEADER_EXAMPLES: { readonly [name: string]: string } = {
	"Access-Control-Allow-Origin": "*",
	"Partner-Warning": "items_differ",
	Deprecation: "@1788652800",
	Sunset: "Mon, 06 Sep 2027 00:00:00 GMT",
	Link: '<https://api.example.com/api/v1/things>; rel="next"',
	"X-Next-Cursor": "MTIuYWJjZGVm",
	"Content-Length": "48213",
	"Content-Range": "bytes 0-1023/48213",
	"Accept-Ranges": "bytes",
	"Content-Disposition": 'inline; filename="coa.pdf"',
	"Content-Security-Policy": "sandbox",
	"Referrer-Policy": "no-referrer",
};

function successWords({ method, replies, replyHeaders = {} }: Operation, status: number): string {
	const repeats = "Idempotent-Replayed" in replyHeaders;
	const repeat = repeats ? " A repeat returns the same, with `Idempotent-Replayed: true`." : "";
	if (status === 201) return replies[200] === undefined ? `Created.${repeat}` : "Created by this request.";
	if (status === 200 && replies[201] !== undefined) return "Created by an earlier request: this one changed nothing.";
	if (status === 202) return "Accepted: it is carried out in the background.";
	if (status === 206) return "The part of the file that was asked for.";
	return method === "GET" ? "Found, as it was when it was read." : `Done.${repeat}`;
}

/** Statuses from here on are errors. */
const LEAST_ERROR = 400;

/** All replies of an operation: successes, 304, and every error by its status. */
export function repliesOf(
	surface: SurfaceDocument,
	operation: Operation,
	shape: Shape,
	components: Components,
): JsonObject {
	const contents = Object.keys(operation.contents ?? {}).filter((status) => Number(status) < LEAST_ERROR);
	const statuses = new Set([...Object.keys(shape.replies), ...contents]);
	const successes = [...statuses].map((status) => [
		status,
		success(surface, operation, Number(status), shape.replies[Number(status)], components),
	]);
	const unchanged = operation.conditional ? [["304", unchangedReply(surface, operation)]] : [];
	return Object.fromEntries([...successes, ...unchanged, ...errorReplies(surface, operation)]) as JsonObject;
}

function success(
	surface: SurfaceDocument,
	operation: Operation,
	status: number,
	schema: TSchema | undefined,
	components: Components,
): JsonObject {
	const own = Object.entries(operation.replyHeaders ?? {}).map(([name, description]) => [
		name,
		header(description, REPLY_HEADER_EXAMPLES[name] ?? "true", false),
	]);
	return {
		description: successWords(operation, status),
		headers: { ...refer(successHeaders(surface, operation)), ...(Object.fromEntries(own) as JsonObject) },
		content: { ...json(operation, status, schema, components), ...contentsOf(operation, status) },
	};
}

function json(operation: Operation, status: number, schema: TSchema | undefined, components: Components): JsonObject {
	if (schema === undefined) return {};
	return {
		"application/json": {
			schema: { type: "object", required: ["data"], properties: { data: components.refer(schema) } },
			example: { data: operation.examples.replies[status] as Json },
		},
	};
}

/** The replies that are not JSON, by media type. */
const contentsOf = ({ contents = {} }: Operation, status: number): JsonObject =>
	Object.fromEntries(
		Object.entries(contents[status] ?? {}).map(([type, { example }]) => [
			type,
			example === undefined
				? { schema: { type: "string", format: "binary" } }
				: { schema: { type: "string" }, example },
		]),
	);

function successHeaders(surface: SurfaceDocument, { scope, conditional, editTagWithout }: Operation): HeaderName[] {
	const names = always(surface);
	if (scope !== null) names.push("RateLimit-Policy", "RateLimit");
	if (conditional || editTagWithout !== undefined) names.push("ETag");
	return names;
}

const unchangedReply = (surface: SurfaceDocument, operation: Operation): JsonObject => ({
	description: "Not changed since the reply whose ETag was sent in If-None-Match. Counts as a request.",
	headers: refer(successHeaders(surface, operation)),
});

const refer = (names: readonly HeaderName[]): JsonObject =>
	Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function findCodes(surface: SurfaceDocument, operation: Operation): ErrorCode[] {
	const { scope, errors } = operation;
	const common = scope === null ? KEYLESS_ERRORS : [...surface.errors, ...(surface.errorsOf?.(operation) ?? [])];
	return [...new Set<ErrorCode>([...common, ...errors])];
}

function errorReplies(surface: SurfaceDocument, operation: Operation): [string, JsonObject][] {
	const byStatus = new Map<number, ErrorCode[]>();
	for (const code of findCodes(surface, operation)) {
		const status = statusOf(code, operation.statuses);
		byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
	}
	if (operation.method !== "GET") byStatus.set(413, ["bad_request"]);
	return [...byStatus]
		.toSorted(([a], [b]) => a - b)
		.map(([status, codes]) => [String(status), errorReply(surface, operation, status, codes)]);
}

function errorReply(surface: SurfaceDocument, operation: Operation, status: number, codes: ErrorCode[]): JsonObject {
	const examples = codes.map((code) => [
		code,
		{ value: { error: { code, message: exampleOf(surface, operation, status, code) } } },
	]);
	const isWithdrawn = status === 410 && operation.method === "GET";
	return {
		description: isWithdrawn ? "It was withdrawn." : (statusWords(surface.security.caller)[status] ?? "Refused."),
		headers: { ...refer(errorHeaders(surface, operation, status)), ...retryAfter(status, codes) },
		content: {
			"application/json": {
				schema: envelope(codes, operation.problems === true && codes.includes("invalid_input")),
				examples: Object.fromEntries(examples) as JsonObject,
			},
			...contentsOf(operation, status),
		},
	};
}

const PROBLEMS: JsonObject = {
	type: "array",
	description: "With `invalid_input`: all problems; the message names only the first of them.",
	items: {
		type: "object",
		required: ["at", "message"],
		properties: {
			at: { type: "string", description: "Where the problem is, such as `certificates.csv line 5, tested_on`." },
			message: { type: "string", description: "What is wrong there." },
		},
	},
};

/** The contract's error envelope, with the codes of this reply. */
const envelope = (codes: ErrorCode[], withProblems: boolean): JsonObject => ({
	type: "object",
	required: ["error"],
	properties: {
		error: {
			type: "object",
			required: ["code", "message"],
			properties: {
				code: { type: "string", enum: codes, description: "Stable: match on it." },
				message: { type: "string", description: "For people: never match on it." },
				...(withProblems ? { problems: PROBLEMS } : {}),
			},
		},
	},
});

function exampleOf(surface: SurfaceDocument, operation: Operation, status: number, code: ErrorCode): string {
	if (status === 413) return `The body is larger than ${MAX_BODY_BYTES} bytes (1 MiB).`;
	if (code === "internal_error" && operation.examples.errors?.[code] === undefined)
		return failedMessage(operation.method);
	if (code === "unauthorized") return surface.security.message;
	if (code === "forbidden" && operation.scope !== null) return surface.security.lacks(operation.scope);
	const message = operation.examples.errors?.[code] ?? COMMON_EXAMPLES[code];
	return must(message, `the example of ${code} in ${operation.id}`);
}

/** Statuses that can occur before the key, and so its budget, is known. */
const BEFORE_THE_KEY: ReadonlySet<number> = new Set([400, 401, 429, 500]);

function errorHeaders(surface: SurfaceDocument, { scope }: Operation, status: number): HeaderName[] {
	const names = always(surface);
	names.push("Link");
	if (scope !== null && !BEFORE_THE_KEY.has(status)) names.push("RateLimit-Policy", "RateLimit");
	if (status === 401) names.push("WWW-Authenticate");
	return names;
}

/** Required if the status itself asks the caller to wait; otherwise present only with the codes that can be retried. */
function retryAfter(status: number, codes: readonly ErrorCode[]): JsonObject {
	if (status === 429) return refer(["Retry-After"]);
	if (!codes.includes("retry") && !codes.includes("hold_race")) return {};
	return {
		"Retry-After": { ...RETRY_AFTER, description: "With `retry`: seconds to wait.", required: false },
	};
}
