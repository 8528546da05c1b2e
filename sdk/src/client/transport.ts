import { API_DATE } from "../wire/__generated__/codes.ts";
import { type Budget, LOW_PRIORITY, type Priority } from "./budget.ts";
import { fromWire } from "./camel.ts";
import { type ErrorFacts, HoldfastError, OutcomeUnknown, RateLimited, Unauthorized } from "./errors.ts";
import { codeOfPage, helpOf, rateLimitOf, retryAfterMsOf, warningsOf } from "./headers.ts";
import type { RequestOptions } from "./methods.ts";
import { CSV, envelopeOf, type Input, LOOKUP, type Operation, referenceOf } from "./operations.ts";
import type { Conditional, Reply } from "./raw.ts";
import { isLost, judge } from "./retry.ts";
import type { Clock, Code, RequestReport, Warning } from "./types.ts";
import { VERSION } from "./version.ts";

/** What a client needs to send its requests. */
export interface Means {
	readonly baseUrl: string;
	readonly coaUrl: string;
	readonly token: string | undefined;
	readonly fetch: typeof fetch;
	readonly timeoutMs: number;
	readonly maxRetries: number;
	readonly clock: Clock;
	readonly budget: Budget;
	readonly onRequest: ((report: RequestReport) => unknown) | undefined;
}

interface Unanswered {
	readonly facts: ErrorFacts;
	readonly retryAfterMs: number | null;
}
/** The result of one attempt: a reply, or why there is none. */
type Outcome = { readonly reply: Reply<unknown> } | Unanswered;

/** Longest wait, in milliseconds, that a 429 asks of all requests of a key although its window has room. */
const MAX_SHORT_WAIT_MS = 5_000;

/** Sends a request and, where a repeat is safe, repeats it until it is answered. */
export async function send(
	means: Means,
	operation: Operation,
	input: Input,
	options: RequestOptions & Partial<Conditional>,
): Promise<Reply<unknown>> {
	checkTimeout(options.timeoutMs);
	const request = requestOf(means, operation, input, options);
	let lostBefore = false;
	// the timers of the platform's clock do not: a request that was aborted must not keep the process for them
	const alive = setTimeout(() => undefined, MAX_TIMEOUT_MS);
	try {
		for (let number = 1; ; number++) {
			const outcome = await attempt(means, operation, request, options, number);
			if ("reply" in outcome) return outcome.reply;
			const { facts, retryAfterMs } = outcome;
			const { code } = facts;
			const { repeat } = operation;
			const { maxRetries, clock } = means;
			const random = Math.random();
			const verdict = judge({ repeat, code, number, maxRetries, lostBefore, retryAfterMs, random });
			if (verdict.kind !== "again") throw errorOf(facts, retryAfterMs, verdict.kind, operation, input);
			lostBefore ||= isLost(code);
			await untilAborted(clock.sleep(verdict.afterMs), options.signal);
		}
	} finally {
		clearTimeout(alive);
	}
}

function requestOf(
	{ baseUrl, coaUrl, token }: Means,
	operation: Operation,
	input: Input,
	{ etag }: Partial<Conditional>,
): { readonly url: string; readonly init: RequestInit } {
	const { name, method, path } = operation;
	const isAtCoa = path.startsWith("coa:");
	const base = isAtCoa ? coaUrl : baseUrl;
	if (base === "") throw new TypeError(`${name} needs the option ${isAtCoa ? "coaUrl" : "baseUrl"} of new Holdfast.`);
	const { at, body, idempotencyKey } = envelopeOf(operation, input);
	const headers: Record<string, string> = name === LOOKUP ? { Accept: "application/json" } : {};
	if (name !== LOOKUP) {
		if (token === undefined) throw new TypeError(`${name} needs the option token of new Holdfast.`);
		headers.Authorization = `Bearer ${token}`;
		headers["X-Partner-Version"] = API_DATE;
		headers["User-Agent"] = `holdfast-partner/${VERSION}`;
	}
	if (body !== undefined) headers["Content-Type"] = "application/json";
	if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
	if (typeof etag === "string") headers["If-None-Match"] = etag;
	// a redirect may lose the key
	const init = { method, headers: new Headers(headers), redirect: "manual", body: body ?? null } as const;
	return { url: base + at, init };
}

async function attempt(
	means: Means,
	operation: Operation,
	{ url, init }: { readonly url: string; readonly init: RequestInit },
	{ signal, timeoutMs = means.timeoutMs, priority, etag }: RequestOptions & Partial<Conditional>,
	number: number,
): Promise<Outcome> {
	const { budget, clock, onRequest } = means;
	const rank: Priority = priority === "low" ? LOW_PRIORITY : operation.repeat === "read" ? 1 : 0;
	const place = operation.name === LOOKUP ? undefined : await budget.take(rank, signal);
	const start = clock.now();
	const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
	let outcome: Outcome;
	let rateLimit: Reply<unknown>["rateLimit"] = null;
	try {
		const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
		const response = await means.fetch(url, { ...init, signal: ended });
		rateLimit = rateLimitOf(response.headers);
		outcome = await outcomeOf(operation, response, rateLimit, typeof etag === "string");
	} catch (cause) {
		outcome = lost(0, reasonOf(cause), null, cause);
	}
	place?.end(rateLimit);
	const refusal = "facts" in outcome ? outcome : undefined;
	const code = refusal?.facts.code ?? null;
	if (place !== undefined) budget.note(refusal?.facts, start);
	const waitMs = refusal?.retryAfterMs ?? 0;
	// a longer wait while the window has room is for a limit of held units, and does not concern what frees them
	if (code === "rate_limited" && (rateLimit?.left === 0 || waitMs <= MAX_SHORT_WAIT_MS)) place?.block(waitMs);
	const answer = "reply" in outcome ? outcome.reply : outcome.facts;
	const { status, requestId } = answer;
	const { name, method } = operation;
	const report = { operation: name, method, url, attempt: number, status, code, requestId, ms: clock.now() - start };
	// what `onRequest` throws, at once or later, must not affect the result
	void (async () => onRequest?.(report))().catch(() => undefined);
	if (refusal?.facts.cause !== undefined) signal?.throwIfAborted();
	return outcome;
}

async function outcomeOf(
	operation: Operation,
	response: Response,
	rateLimit: Reply<unknown>["rateLimit"],
	isConditional: boolean,
): Promise<Outcome> {
	const { status, headers, ok } = response;
	const requestId = headers.get("x-request-id");
	const isBytes = ok && operation.name === CSV;
	let content: unknown;
	try {
		content = isBytes ? new Uint8Array(await response.arrayBuffer()) : parsed(await response.text());
	} catch (cause) {
		return cutOff(operation, response, cause);
	}
	const { data, error } = objectOf(content) ?? {};
	const { code, message, ...details } = objectOf(error) ?? {};
	if (!ok && typeof code === "string") {
		const facts: ErrorFacts = {
			code: code as Code,
			message: typeof message === "string" ? message : code,
			status,
			requestId,
			details: fromWire(details) as Record<string, unknown>,
			help: helpOf(headers),
		};
		return { facts, retryAfterMs: retryAfterMsOf(headers) };
	}
	const isUnchanged = isConditional && status === 304;
	if (!isUnchanged && !(ok && (isBytes || objectOf(data) !== undefined))) {
		return lost(status, `status ${status}, and not an answer of the service`, requestId);
	}
	const reply = {
		data: isUnchanged ? null : isBytes ? content : fromWire(data),
		status,
		headers,
		requestId,
		replayed: headers.get("idempotent-replayed") === "true",
		warnings: warningsOf(headers) as Warning[],
		rateLimit,
	};
	return { reply };
}

/** The code for a status, if neither the body nor a link names one. */
const CODES_BY_STATUS: Readonly<Record<number, Code>> = { 401: "unauthorized", 403: "forbidden", 429: "rate_limited" };

/**
 * An answer whose body did not arrive completely. The service's link to the page of an error names its code; without
 * one, a status that refuses the key counts only for reads, because it leaves unknown whether a command was carried
 * out.
 */
function cutOff({ repeat }: Operation, { status, headers, ok }: Response, cause: unknown): Outcome {
	const gone = lost(status, reasonOf(cause), headers.get("x-request-id"), cause);
	const help = helpOf(headers);
	const byStatus = repeat === "read" ? CODES_BY_STATUS[status] : undefined;
	const code = ok ? undefined : ((codeOfPage(help) as Code | null) ?? byStatus);
	return code === undefined ? gone : { facts: { ...gone.facts, code, help }, retryAfterMs: retryAfterMsOf(headers) };
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

function lost(status: number, reason: string, requestId: string | null, cause?: unknown): Unanswered {
	const message = `The answer was lost: ${reason}.`;
	return {
		facts: { code: "connection_lost", message, status, requestId, details: {}, help: null, cause },
		retryAfterMs: null,
	};
}

function errorOf(
	facts: ErrorFacts,
	retryAfterMs: number | null,
	kind: "refused" | "unknown",
	{ name }: Operation,
	input: Input,
): HoldfastError {
	if (kind === "unknown") {
		const reference = referenceOf(input);
		const ask = reference === null ? "" : ` Ask for ${JSON.stringify(reference)} before you continue.`;
		return new OutcomeUnknown(
			{ ...facts, message: `${name} may have been done.${ask} ${facts.message}` },
			name,
			reference,
		);
	}
	const { status, code } = facts;
	if (code === "rate_limited") return new RateLimited(facts, retryAfterMs ?? 0);
	const isKeyRefused = (status === 401 || status === 403) && code !== "connection_lost";
	return isKeyRefused ? new Unauthorized(facts) : new HoldfastError(facts);
}

/** Longest time that a timer of the platforms can wait, in milliseconds. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** @throws RangeError if a request could not be given this time */
export function checkTimeout(timeoutMs = 1): void {
	if (timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return;
	throw new RangeError(`timeoutMs: expected 1 to ${MAX_TIMEOUT_MS} milliseconds.`);
}

/** Waits, unless the signal is aborted first: then it rejects with the signal's reason. */
async function untilAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	signal?.throwIfAborted();
	await new Promise<void>((resolve, reject) => {
		const leave = (): void => reject(signal?.reason as Error);
		signal?.addEventListener("abort", leave);
		wait.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
	});
}
