import type { Readable } from "node:stream";
import type { Static, TSchema, TString } from "typebox";
import type { ErrorCode, Permission } from "../../glossary.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Caller, Standing } from "./caller.ts";
import type { StatusOverrides, UseCaseError } from "./errors.ts";
import type { CodesBySubtree } from "./findings.ts";
import type { UploadedFile } from "./form.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One operation of the API: its input and its answers. Types, checks and OpenAPI are all derived from it. */
export interface Operation {
	/** Unique; `operationId` in OpenAPI. */
	readonly id: string;
	readonly method: Method;
	/** Fastify's spelling: `/api/v1/orders/:ref`. */
	readonly path: string;
	/** The scope or role that the caller must have; null: no credentials are needed. */
	readonly scope: Permission | null;
	readonly summary: string;
	readonly description: string;
	/** An object schema with `additionalProperties: false`, all the way down. */
	readonly body?: TSchema;
	/**
	 * Files beside the body. A request with files is sent as multipart/form-data, whose parts are `data` (the body)
	 * and `file`; a request without files is sent as JSON, like any other.
	 */
	readonly files?: DeclaredFiles;
	/** An object schema of texts, integers, booleans, or arrays of texts (parameters that may be repeated). */
	readonly query?: TSchema;
	readonly params?: TSchema;
	/** Request headers that it reads, by name; their values are texts. */
	readonly headers?: { readonly [name: string]: RequestHeader };
	/** Codes at or below a JSON pointer of the body, if not `invalid_input`: `{ "/customer": "invalid_customer" }`. */
	readonly codes?: CodesBySubtree;
	/** Success status -> schema of `data`; the gate adds the envelope. */
	readonly replies: { readonly [status: number]: TSchema };
	/**
	 * Replies that are not JSON: success status -> media type as sent -> text, bytes or stream. A status may also occur
	 * in `replies`. Contents are the same on every API date. An error status may be listed too, for the page that
	 * people see (`MountOptions.errorPage`).
	 */
	readonly contents?: { readonly [status: number]: { readonly [type: string]: Content } };
	/** The operation's own headers that a success may have, and their meaning. */
	readonly replyHeaders?: { readonly [name: string]: string };
	/** The codes with which it may refuse, besides those of every operation: the codes that have an example. */
	readonly errors: readonly ErrorCode[];
	/** Its `invalid_input` may also list each problem of the input, with its place. */
	readonly problems?: true;
	/** Only where a status differs from ERROR_STATUS. */
	readonly statuses?: StatusOverrides;
	readonly examples: {
		/** The body, or the query's parameters. */
		readonly request?: unknown;
		readonly params?: { readonly [name: string]: string };
		/** Success status -> an example of `data`. */
		readonly replies: { readonly [status: number]: unknown };
		/** Code -> an example of `message`. */
		readonly errors?: { readonly [C in ErrorCode]?: string };
	};
	/** Also works while its key is refused for a drill of a go-live. */
	readonly inDrill?: true;
	/** Gets no fault in the unkind hour of a go-live, because the go-live needs its true answer. */
	readonly alwaysKind?: true;
	/** Ignores X-Partner-Version and answers on the current date. */
	readonly anyDate?: true;
	/**
	 * Without a key: maximum number of requests from one address in any 60 seconds; further ones get `rate_limited`.
	 */
	readonly perAddress?: number;
	/** Without a key: the same for requests that found nothing; then any further request is `rate_limited`. */
	readonly missesPerAddress?: number;
	/** Without a key: a page of any origin may read its replies, errors too. */
	readonly anyOrigin?: true;
	/** GET only: an `ETag` over the body without `as_of`, per key; `If-None-Match` gets 304. Also answers HEAD. */
	readonly conditional?: true;
	/**
	 * GET only, instead of `conditional`: an `ETag` for If-Match over the reply without these members, which may change
	 * although the object does not. Therefore callers do not store the reply, and it is not answered 304.
	 */
	readonly editTagWithout?: readonly string[];
}

/** The content of a reply that is not JSON: UTF-8 text, bytes, or a stream, which the gate reads or destroys. */
export type ReplyContent = string | Uint8Array | Readable;

/** A reply that is not JSON, as OpenAPI describes it. */
export interface Content {
	/** An example of a text. Absent: bytes. */
	readonly example?: string;
}

export interface DeclaredFiles {
	/** Maximum number of files of one request. */
	readonly most: number;
	/** Media types, for the document only: the bytes of a file decide its type. */
	readonly types: readonly string[];
	readonly description: string;
}

export interface RequestHeader {
	readonly schema: TString;
	/** The code that answers a request without the header, or with an empty one; null: it may be missing. */
	readonly missing: ErrorCode | null;
}

type Declared = Omit<Operation, "errors">;
type ErrorsOf<Op extends Declared> = readonly (keyof Op["examples"]["errors"] & ErrorCode)[];

/** Declares an operation; its types are not widened. */
export function operation<const Op extends Declared>(op: Op): Op & { readonly errors: ErrorsOf<Op> } {
	return { ...op, errors: Object.keys(op.examples.errors ?? {}) as unknown as ErrorsOf<Op> };
}

/** A part of a request as its operation declares it; undefined: the operation has no such part. */
export type ParsedOf<Op, Part extends "body" | "query" | "params"> = Op extends {
	readonly [P in Part]: infer S extends TSchema;
}
	? DeepReadonly<Static<S>>
	: undefined;

type ParsedHeaders<Op> = Op extends { readonly headers: infer H }
	? { readonly [N in keyof H]: H[N] extends { readonly missing: null } ? string | undefined : string }
	: undefined;

/** What a request has whatever its operation declares. */
export interface RequestFacts {
	/** In the order sent; none where the operation declares none. */
	readonly files: readonly UploadedFile[];
	readonly requestId: string;
	/** The request's address in its counted form; "" for a request with a key. */
	readonly from: string;
	/** The header Host; null: it came through the socket of this machine. */
	readonly cameTo: string | null;
}

/** A request as the gate passes it to a use case: everything is checked. */
export interface Request<Op extends Operation, Who = Caller> extends RequestFacts {
	readonly caller: Op["scope"] extends null ? null : Who;
	/** Checks again whether the caller is still admitted, before anything is done that a revoked key must not do. */
	readonly standing: Op["scope"] extends null ? null : Standing<Who>;
	readonly body: ParsedOf<Op, "body">;
	readonly query: ParsedOf<Op, "query">;
	readonly params: ParsedOf<Op, "params">;
	readonly headers: ParsedHeaders<Op>;
}

type ReplyHeaders<Op extends Operation> = Op extends { readonly replyHeaders: infer H }
	? { readonly [N in keyof H]?: string }
	: never;

/** A success in JSON: the gate puts `data` into the envelope. */
type JsonReply<Op extends Operation> = {
	[S in keyof Op["replies"] & number]: {
		readonly status: S;
		readonly data: DeepReadonly<Static<Op["replies"][S]>>;
		readonly headers?: ReplyHeaders<Op>;
	};
}[keyof Op["replies"] & number];

/** A success that is not JSON, sent as it is. */
type ContentReply<Op extends Operation, H = ReplyHeaders<Op>> = Op extends { readonly contents: infer C }
	? {
			[S in keyof C & number]: {
				readonly status: S;
				readonly type: keyof C[S] & string;
				readonly content: ReplyContent;
				/** The ETag of a conditional operation, without quotes. Absent: a digest, or none for a stream. */
				readonly etag?: string;
				readonly headers?: H;
			};
		}[keyof C & number]
	: never;

/** A declared success. */
export type Reply<Op extends Operation> = JsonReply<Op> | ContentReply<Op>;

/** A declared answer: another status, shape or code does not compile. */
export type OperationAnswer<Op extends Operation> = Reply<Op> | Refusal<Op["errors"][number] | UseCaseError>;

export type Handler<Op extends Operation, Who = Caller> = (
	request: Request<Op, Who>,
) => OperationAnswer<Op> | Promise<OperationAnswer<Op>>;

export type DeepReadonly<T> = T extends readonly (infer E)[]
	? readonly DeepReadonly<E>[]
	: T extends object
		? { readonly [K in keyof T]: DeepReadonly<T[K]> }
		: T;
