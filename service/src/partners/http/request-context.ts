import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { ErrorCode } from "../../glossary.ts";
import { monotonicMs } from "../../ground/lib/clock.ts";
import type { Log, LogFields } from "../../ground/lib/log.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { OpenSpan, Traces } from "../../ground/lib/traces.ts";
import type { RecordAnswered } from "./answered.ts";
import type { ApiDate } from "./api-date.ts";
import type { Standing, Unauthenticated } from "./caller.ts";
import { errorBody, type StatusOverrides, statusOf } from "./errors.ts";
import type { HelpLinks } from "./help-links.ts";
import type { CountReply } from "./metrics.ts";
import { type RateVerdict, WINDOW_SECONDS } from "./rate-limit.ts";
import type { GivenHeaders } from "./request-headers.ts";
import type { Someone, Surface } from "./surface.ts";

/** Default for Retry-After, in seconds: its smallest value. */
const RETRY_AFTER_SECONDS = 1;
const JSON_TYPE = "application/json; charset=utf-8";
const ALWAYS_RETRY_AFTER: ReadonlySet<ErrorCode> = new Set(["rate_limited", "retry", "hold_race"]);

/** An error as a page for people; null if the caller is a program, which gets the envelope. */
export type ErrorPage = (
	request: IncomingMessage,
	code: ErrorCode,
) => { readonly type: string; readonly content: string; readonly headers: { readonly [name: string]: string } } | null;

/** Statuses from here on are failures of the service. */
const FIRST_FAILURE = 500;
/** Methods that a span names; any other word is a caller's own. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The target of a request: an operation or a stand-in. */
export interface Target {
	readonly id: string;
	readonly statuses: StatusOverrides | undefined;
	readonly count: CountReply;
	/** Its surface; null for a page or an unknown path. */
	readonly surface: Surface<Someone> | null;
	/** A status that is not logged: successful probes would fill the log. */
	readonly unlogged?: number;
	readonly errorPage?: ErrorPage | undefined;
	/** Whether a page of any origin may read its replies. */
	readonly anyOrigin?: boolean;
}

/** Lets a page of any origin read a reply, with the headers that it needs to wait, and to ask for help. */
const ANY_ORIGIN = [
	"Access-Control-Allow-Origin",
	"*",
	"Access-Control-Expose-Headers",
	"Link, Retry-After, X-Request-Id",
] as const;

/**
 * Limits on the logged parts of a path. A longer part, or one with other characters, may be a secret in the wrong
 * place: the shortest secret that can occur in a path has 20 characters (HOLDFAST_SHIPSTATION_HOOK_SECRET).
 */
const MAX_LOGGED_PARTS = 8;
const LOGGED_PART = /^[\w.-]{0,19}$/;

/** State shared by all requests of one address. */
export interface ServerState {
	readonly log: Log;
	/** Logs a request that failed because of a bug or an outage: the first of a kind with its stack, then a count. */
	readonly onFailed: (error: unknown, where: LogFields) => void;
	readonly help: HelpLinks;
	/** Milliseconds that a streamed reply may stall. */
	readonly streamStallMs: number;
	/** Keeps a log of answered requests; null: there is none. */
	readonly record: RecordAnswered | null;
	/** Null: nothing is traced. */
	readonly traces: Traces | null;
	/** A request's address, in its counted form. */
	readonly addressOf: (request: IncomingMessage) => string;
	/** Shutting down: each reply is the last of its connection. */
	closing: boolean;
}

/** One request on its way through the gate. All replies are written here, so that they carry the same headers. */
export class RequestContext {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly requestId: string;
	readonly target: Target;
	readonly server: ServerState;
	readonly startedAt: number = monotonicMs();
	apiDate: ApiDate;
	/** The parameters of the path, not checked yet. */
	params: unknown = undefined;
	caller: Someone | null = null;
	standing: Standing<Someone> | null = null;
	verdict: RateVerdict | null = null;
	/** The request headers that the operation declares. */
	headers: GivenHeaders | undefined = undefined;
	/** Why the credentials are not in force; null: they are, or were not checked. */
	unauthenticated: Unauthenticated<Someone> | null = null;
	/** The body as it arrived, and as it was read. */
	received: Buffer | null = null;
	body: unknown = undefined;
	#refusal: Refusal | null = null;
	#sent: string | Uint8Array | null = null;
	#bytesSent = 0;
	#isDone = false;
	/** Null: it is not traced. */
	readonly #span: OpenSpan | null;

	constructor(
		request: IncomingMessage,
		response: ServerResponse,
		requestId: string,
		target: Target,
		apiDate: ApiDate,
		server: ServerState,
	) {
		this.request = request;
		this.response = response;
		this.requestId = requestId;
		this.target = target;
		this.apiDate = apiDate;
		this.server = server;
		this.#span = server.traces === null ? null : server.traces.begin(requestId, request.headers.traceparent);
	}

	/** Answers with an error: the envelope, its status and its headers. */
	refuse(refused: Refusal, status?: number, ...more: string[]): void {
		const { refusal, message, retryAfter, problems } = refused;
		this.#refusal = refused;
		if (retryAfter !== undefined || ALWAYS_RETRY_AFTER.has(refusal)) {
			more.push("Retry-After", String(Math.max(RETRY_AFTER_SECONDS, Math.ceil(retryAfter ?? 0))));
		}
		const { surface, statuses } = this.target;
		if (refusal === "unauthorized") this.verdict = null; // a key that ended meanwhile is answered like one that never existed
		const isChallenge = refusal === "unauthorized" || refusal === "second_factor_needed";
		if (isChallenge && surface !== null) more.push("WWW-Authenticate", surface.security.challenge);
		more.push("Cache-Control", "no-store", "Link", this.server.help.of(refusal));
		const page = this.target.errorPage?.(this.request, refusal) ?? null;
		if (page !== null) more.push(...Object.entries(page.headers).flat());
		const body = page?.content ?? errorBody(refusal, message, problems);
		this.write(status ?? statusOf(refusal, statuses), body, more, refusal, page?.type);
	}

	/** Writes a whole reply and its log line. `more`: header names and values in turn. `body` null: none (304). */
	write(
		status: number,
		body: string | Uint8Array | null,
		more: readonly string[],
		code?: ErrorCode,
		type: string = JSON_TYPE,
	): void {
		const { response } = this;
		if (response.headersSent) return; // already answered (413)
		if (response.destroyed) return this.#done(status, code); // the caller is gone
		const headers = this.#headers(more);
		if (body === null) {
			response.writeHead(status, headers);
			response.end();
		} else {
			const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
			[this.#sent, this.#bytesSent] = [body, bytes];
			headers.push("Content-Type", type, "Content-Length", String(bytes));
			response.writeHead(status, headers);
			if (typeof body !== "string") response.end(body);
			else response.end(body, bytes === body.length ? "latin1" : "utf8"); // ASCII, copied unchanged
		}
		this.#done(status, code);
	}

	/**
	 * Sends `source` as it arrives. Reads it to its end, or destroys it if the caller disconnects or nothing moves for
	 * the server's `streamStallMs`. If the source fails, the connection is destroyed, because the status is already
	 * sent: the caller then sees that the reply is incomplete. The log line follows the last byte.
	 */
	stream(status: number, type: string, source: Readable, more: readonly string[]): void {
		const { response } = this;
		const bodiless = this.request.method === "HEAD";
		const tooLate = response.headersSent || response.destroyed;
		if (bodiless || tooLate) source.destroy();
		if (response.destroyed && !response.headersSent) this.#done(status);
		if (tooLate) return;
		const headers = this.#headers(more);
		headers.push("Content-Type", type);
		response.writeHead(status, headers);
		if (bodiless) {
			response.end();
			return this.#done(status);
		}
		let failure: Error | null = null;
		const failed = (error: Error): void => {
			failure ??= error;
			response.destroy();
		};
		source.on("error", failed);
		source.once("close", () => {
			if (!source.readableEnded && !response.destroyed)
				failed(new Error("bug: a reply's stream closed before its end"));
		});
		response.setTimeout(this.server.streamStallMs, () => response.destroy());
		response.once("close", () => {
			source.destroy();
			if (failure !== null) this.server.onFailed(failure, { requestId: this.requestId, operation: this.target.id });
			this.#done(status, failure === null ? undefined : "internal_error");
		});
		source.pipe(response);
	}

	/** The headers of every reply, and `more`. */
	#headers(more: readonly string[]): string[] {
		const { apiDate, caller, verdict, requestId, target, server } = this;
		const { surface } = target;
		const headers = ["X-Content-Type-Options", "nosniff", "X-Request-Id", requestId];
		if (target.anyOrigin) headers.push(...ANY_ORIGIN);
		if (caller !== null && surface !== null && verdict !== null) {
			const { caller: policy } = surface.security;
			headers.push("RateLimit-Policy", `"${policy}";q=${surface.budget.perMinute(caller)};w=${WINDOW_SECONDS}`);
			headers.push("RateLimit", `"${policy}";r=${verdict.left};t=${verdict.seconds}`);
		}
		if (server.closing && !more.includes("Connection")) headers.push("Connection", "close");
		headers.push(...apiDate.headers, ...more);
		return headers;
	}

	/** Counts and logs the request, once. */
	#done(status: number, code?: ErrorCode): void {
		if (this.#isDone) return;
		this.#isDone = true;
		const { caller, target, server } = this;
		const ms = monotonicMs() - this.startedAt;
		target.count(status, ms, code);
		if (server.record !== null) this.#record(server.record, status, ms, code);
		if (status === target.unlogged) return;
		if (this.#span !== null) this.#trace(this.#span, status, ms, code);
		server.log.request({
			requestId: this.requestId,
			operation: target.id,
			status,
			ms: Math.round(ms * 1000) / 1000,
			pk: caller === null ? undefined : target.surface?.nameOf(caller),
			code,
			...(target.id === "none" ? this.#asked() : {}),
		});
	}

	/** Neither address nor body: they may contain data of a partner or a customer. The log has the rest of it. */
	#trace(span: OpenSpan, status: number, ms: number, code: ErrorCode | undefined): void {
		this.server.traces?.record({
			...span,
			kind: "server",
			name: this.target.id,
			startMs: this.startedAt,
			endMs: this.startedAt + ms,
			failed: status >= FIRST_FAILURE,
			attributes: {
				"http.request.method": KNOWN_METHODS.has(this.request.method ?? "") ? this.request.method : "_OTHER",
				"http.response.status_code": status,
				"holdfast.request_id": this.requestId,
				"holdfast.code": code,
			},
		});
	}

	#record(record: RecordAnswered, status: number, ms: number, code: ErrorCode | undefined): void {
		const { request, target, unauthenticated } = this;
		const { authorization, "user-agent": userAgent } = request.headers;
		record({
			requestId: this.requestId,
			surface: target.surface?.id ?? null,
			operation: target.id,
			method: request.method ?? "",
			url: request.url ?? "",
			status,
			refusal: this.#refusal,
			code,
			ms,
			caller: this.caller ?? unauthenticated?.owner ?? null,
			unauthenticated: unauthenticated?.why ?? null,
			authorization,
			dateSent: request.headers["x-partner-version"] as string | undefined,
			dateUsed: this.apiDate.date,
			address: this.server.addressOf(request),
			userAgent,
			params: this.params,
			headers: this.headers,
			body: this.body,
			received: this.received,
			sent: this.#sent,
			bytesSent: this.#bytesSent,
		});
	}

	/** The unmatched method and path, without the query, so that the log shows a typo in a path. */
	#asked(): { method: string; path: string } {
		const { method = "", url = "" } = this.request;
		const parts = (url.split("?", 1)[0] ?? "").split("/").slice(0, MAX_LOGGED_PARTS);
		return { method, path: parts.map((part) => (LOGGED_PART.test(part) ? part : "…")).join("/") };
	}
}
