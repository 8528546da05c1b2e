import type { IncomingMessage } from "node:http";
import type { TSchema } from "typebox";
import type { ErrorCode, Scope } from "../../glossary.ts";
import type { ApiDates } from "./api-date.ts";
import type { Caller, Standing, Unauthenticated } from "./caller.ts";

/** How a caller of a surface proves who it is, in the words of HTTP and of OpenAPI. */
export interface Security {
	/**
	 * What a caller of the surface is called in messages, and as the policy in `RateLimit-Policy` and `RateLimit`:
	 * `key`.
	 */
	readonly caller: string;
	/** Names the scheme in the document. */
	readonly id: string;
	/** A security scheme object of OpenAPI. */
	readonly scheme: { readonly [name: string]: string };
	/** The value of `WWW-Authenticate` in every 401. */
	readonly challenge: string;
	/** The message of every 401 to credentials of the right form, whatever the reason: a caller is never told which. */
	readonly message: string;
	/** What is wrong with the form of the credentials, which is no secret, as a message; null: nothing. */
	readonly wrongForm?: (request: IncomingMessage) => string | null;
}

/** Operations that belong together, in the order in which a caller meets them. */
export interface OperationGroup {
	readonly name: string;
	readonly description: string;
	/** Their ids. */
	readonly operations: readonly string[];
}

/** What a reader of a surface must know: its OpenAPI document is written from this and from its operations. */
export interface SurfaceDocument {
	/** Unique; the name of the document below `openapi/`. */
	readonly id: string;
	readonly title: string;
	readonly description: string;
	/** The headings that its operations stand under, and their order. Absent: all of them stand under `tag`. */
	readonly groups?: readonly OperationGroup[];
	/** The heading of operations that no group names; they come last. */
	readonly tag: { readonly name: string; readonly description: string };
	/** The API dates it accepts; null: the surface looks at no date and its replies carry none. */
	readonly dates: ApiDates | null;
	/** What is posted to its callers, by type. */
	readonly events?: { readonly [type: string]: { readonly summary: string; readonly schema: TSchema } };
	/** The codes that each operation with a scope can answer beside its own. */
	readonly errors: readonly ErrorCode[];
	readonly security: Security;
}

/** How many requests a caller may make. */
export interface Budget<Who> {
	/** Requests are counted under this name. Surfaces that give a caller the same name share its budget. */
	readonly nameOf: (who: Who) => string;
	/** Requests in any 60 seconds. */
	readonly perMinute: (who: Who) => number;
}

/**
 * A set of operations for one kind of caller. The gate walks each surface in the same order; a surface says who may
 * come in, how often and to what. `Who` is the caller as its operations see it.
 */
export interface Surface<Who = Caller> extends SurfaceDocument {
	/**
	 * Who sends this request, and from which address. Answers at once where it can, for a promise costs every request.
	 */
	readonly authenticate: (
		request: IncomingMessage,
		from: () => string,
	) => Standing<Who> | Unauthenticated | Promise<Standing<Who> | Unauthenticated>;
	readonly budget: Budget<Who>;
	readonly may: (who: Who, scope: Scope) => boolean;
	/** The caller's name in log lines, and in the ETag of what it reads. Never a secret. */
	readonly nameOf: (who: Who) => string;
}

/**
 * A caller of a surface that is not known more closely: the gate only hands it from one function of its surface to
 * another.
 */
export type Someone = { readonly [field: string]: unknown } & { readonly someone: never };

/**
 * Forgets the kind of caller. Sound because a route only ever hands its surface what that surface's `authenticate`
 * answered.
 */
export const anySurface = <Who>(surface: Surface<Who>): Surface<Someone> => surface as unknown as Surface<Someone>;
