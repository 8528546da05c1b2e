import type { ErrorCode } from "../../glossary.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { WhyUnauthenticated } from "./caller.ts";
import type { GivenHeaders } from "./request-headers.ts";

/**
 * A request that was answered, for whoever keeps a log of requests. Strings and buffers are those that the gate has
 * anyway: nothing is copied or serialised for this object.
 */
export interface AnsweredRequest {
	readonly requestId: string;
	/** The id of its surface; null: no operation has this path and method. */
	readonly surface: string | null;
	/** The id of its operation; `none` for an unknown path. */
	readonly operation: string;
	readonly method: string;
	/** Path and query as they were sent. */
	readonly url: string;
	readonly status: number;
	/** The refusal that was answered; null: it was not refused. */
	readonly refusal: Refusal | null;
	/** Differs from the refusal's only if the connection failed while the reply was sent. */
	readonly code: ErrorCode | undefined;
	/** Milliseconds from its headers to its reply. */
	readonly ms: number;
	/** The caller, as its surface knows it, even if its credentials have ended. Null: nobody. */
	readonly caller: unknown;
	/** Why it has no caller, or why its caller's credentials are refused; null: they are in force. */
	readonly unauthenticated: WhyUnauthenticated | null;
	/** The header Authorization as it was sent: it may hold a secret. */
	readonly authorization: string | undefined;
	/** The API date that was sent, and the one that was used. */
	readonly dateSent: string | undefined;
	readonly dateUsed: string;
	/** In the form in which requests of an address are counted. */
	readonly address: string;
	readonly userAgent: string | undefined;
	/** Its path parameters; not checked if it was refused. */
	readonly params: unknown;
	/** The request headers that its operation declares; undefined: they were not read. */
	readonly headers: GivenHeaders | undefined;
	/** The body as it was read; undefined: it had none, or it could not be read. Not checked if it was refused. */
	readonly body: unknown;
	/** The body as it arrived; null: it had none, or it was not read. */
	readonly received: Buffer | null;
	/** The body of the reply; null: it had none, or it was a stream. */
	readonly sent: string | Uint8Array | null;
	readonly bytesSent: number;
}

/** Called once for each answered request; must not throw, and must not wait. */
export type RecordAnswered = (answered: AnsweredRequest) => void;
