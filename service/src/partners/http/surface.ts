import type { IncomingMessage } from "node:http";
import type { TSchema } from "typebox";
import type { ErrorCode, Permission } from "../../glossary.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { ApiDates } from "./api-date.ts";
import type { Caller, Standing, Unauthenticated } from "./caller.ts";
import type { Operation } from "./operation.ts";

/** How a caller of a surface authenticates, in terms of HTTP and OpenAPI. */
export interface Security {
	/** The word for a caller in messages, and the policy's name in `RateLimit-Policy` and `RateLimit`: `key`. */
	readonly caller: string;
	/** The scheme's name in the OpenAPI document. */
	readonly id: string;
	/** A security scheme object of OpenAPI. */
	readonly scheme: { readonly [name: string]: string };
	/** The value of `WWW-Authenticate` in every 401. */
	readonly challenge: string;
	/** The message of every 401 for well-formed credentials; it never reveals the reason. */
	readonly message: string;
	/** The message of a 403 to a caller without the permission. */
	readonly lacks: (permission: Permission) => string;
	/** The sentence of the OpenAPI document about the permission of an operation. */
	readonly needs: (permission: Permission) => string;
	/** The message for malformed credentials, whose form is not secret; null if they are well-formed. */
	readonly wrongForm?: (request: IncomingMessage) => string | null;
}

/** Operations that belong together, in the order in which a caller needs them. */
export interface OperationGroup {
	readonly name: string;
	readonly description: string;
	/** Their ids. */
	readonly operations: readonly string[];
}

/** The contents of a surface's OpenAPI document, besides its operations. */
export interface SurfaceDocument {
	/** Unique; the name of the document below `openapi/`. */
	readonly id: string;
	readonly title: string;
	readonly description: string;
	/** The headings of its operations, in order. Absent: all of them are under `tag`. */
	readonly groups?: readonly OperationGroup[];
	/** The heading of operations that no group names; they come last. */
	readonly tag: { readonly name: string; readonly description: string };
	/** The API dates it accepts; null: it ignores dates and its replies carry none. */
	readonly dates: ApiDates | null;
	/** Events that are posted to its callers, by type. */
	readonly events?: { readonly [type: string]: { readonly summary: string; readonly schema: TSchema } };
	/** The codes that each operation with a scope can answer besides its own. */
	readonly errors: readonly ErrorCode[];
	/** Further codes of one operation with a scope that the surface, not the operation, answers. Absent: none. */
	readonly errorsOf?: (operation: Operation) => readonly ErrorCode[];
	readonly security: Security;
}

/** The number of requests that a caller may make. */
export interface Budget<Who> {
	/** Requests are counted under this name. Surfaces that give a caller the same name share its budget. */
	readonly nameOf: (who: Who) => string;
	/** Requests in any 60 seconds. */
	readonly perMinute: (who: Who) => number;
}

/**
 * A set of operations for one kind of caller. The gate checks every surface in the same order; a surface defines who is
 * admitted, how often and to what. `Who` is the caller as its operations see it.
 */
export interface Surface<Who = Caller> extends SurfaceDocument {
	/** Authenticates a request; `from` gives its address. Synchronous if possible: a promise costs each request. */
	readonly authenticate: (
		request: IncomingMessage,
		from: () => string,
	) => Standing<Who> | Unauthenticated<Who> | Promise<Standing<Who> | Unauthenticated<Who>>;
	readonly budget: Budget<Who>;
	readonly may: (who: Who, permission: Permission) => boolean;
	/**
	 * Refuses a request because of its headers, before its body is read, although its caller has the permission:
	 * another site's page made a browser send it, or the caller must first add a second factor. `who` null: the
	 * operation needs no credentials. Absent: no such request is refused.
	 */
	readonly refuseByHeaders?: (
		request: IncomingMessage,
		operation: Operation,
		who: Who | null,
	) => Refusal<"forbidden" | "second_factor_needed"> | null;
	/**
	 * Records, before the reply, a request of a known caller that was answered 403 because of `may` or
	 * `refuseByHeaders`, or 401 because its credentials have ended. Absent: nothing is recorded.
	 */
	readonly recordRefused?: (
		who: Who,
		request: {
			readonly operation: Operation;
			/** The parameters of the path; empty if they are invalid. */
			readonly params: { readonly [name: string]: string };
			readonly requestId: string;
			readonly code: "forbidden" | "unauthorized" | "second_factor_needed";
		},
	) => Promise<void>;
	/** The caller's name in log lines, and in the ETag of its replies. Never a secret. */
	readonly nameOf: (who: Who) => string;
}

/** A caller of an unspecified surface: the gate only passes it from one function of its surface to another. */
export type Someone = { readonly [field: string]: unknown } & { readonly someone: never };

/** Erases the caller's type. Sound because a surface only gets callers that its own `authenticate` returned. */
export const anySurface = <Who>(surface: Surface<Who>): Surface<Someone> => surface as unknown as Surface<Someone>;
