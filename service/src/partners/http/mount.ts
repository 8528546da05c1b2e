import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { ErrorCode } from "../../glossary.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { ApiDates } from "./api-date.ts";
import type { Caller, Standing } from "./caller.ts";
import type { HelpLinks } from "./help-links.ts";
import type { Hook } from "./hook.ts";
import type { Handler, Operation, ReplyContent, RequestFacts } from "./operation.ts";
import type { ErrorPage } from "./request-context.ts";
import type { Someone, Surface } from "./surface.ts";

/** The answer of a use case as a reply with status 200; a refusal is returned unchanged. */
export const ok = <A>(answer: A): Extract<A, Refusal> | { readonly status: 200; readonly data: Exclude<A, Refusal> } =>
	isRefusal(answer) ? (answer as Extract<A, Refusal>) : { status: 200, data: answer as Exclude<A, Refusal> };

/** A request as the gate builds it, without an operation's own types. */
export interface AnyRequest extends RequestFacts {
	readonly caller: Someone | null;
	readonly standing: Standing<Someone> | null;
	readonly body: unknown;
	readonly query: unknown;
	readonly params: unknown;
	readonly headers: unknown;
}

interface AnyJsonReply {
	readonly status: number;
	readonly headers?: { readonly [name: string]: string };
	readonly data: unknown;
	readonly content?: undefined;
}

/** A reply that is not JSON, its media type, and the value of its ETag. */
export interface AnyContentReply {
	readonly status: number;
	readonly headers?: { readonly [name: string]: string };
	readonly content: ReplyContent;
	readonly type: string;
	readonly etag?: string;
}

export type AnyReply = AnyJsonReply | AnyContentReply;

export type AnyHandler = (request: AnyRequest) => AnyReply | Refusal | Promise<AnyReply | Refusal>;

/** A page and, if it is an error, its code. */
export type PageReply = () => Promise<{ readonly status: number; readonly body: unknown; readonly code?: ErrorCode }>;
export type ShowPages = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface MountOptions {
	/** Renders an error of this operation for people. Absent: the envelope. */
	readonly errorPage?: ErrorPage;
}

/** The gate of one surface, on which rooms mount their operations. */
export interface Gate<Who = Caller> {
	readonly surface: Surface<Who>;
	/** The mounted operations, in order. */
	readonly operations: readonly Operation[];
	readonly dates: ApiDates;
	add(operation: Operation, handle: AnyHandler, options?: MountOptions): void;
}

/** One address of the service: the gates of its surfaces, and pages beside them. */
export interface HttpServer {
	readonly app: FastifyInstance;
	/** Where its errors are explained. */
	readonly help: HelpLinks;
	/** Opens the gate of a surface. */
	gate<Who>(surface: Surface<Who>): Gate<Who>;
	/** A plain page for machines that is not an operation of a surface: no key, no API date, GET and HEAD. */
	serve(path: string, page: PageReply): void;
	/** Pages for people at these paths, GET and HEAD only. */
	pages(paths: readonly string[], show: ShowPages): void;
	/** Receives notifications from another program: POST only, at `path/<secret>`. `id` is for logs and metrics. */
	hook(id: string, path: string, hook: Hook): void;
	/** Listens on `host:port` (0: any free port) and returns the port. Everything must be mounted before this call. */
	listen(port: number, host: string): Promise<number>;
	/**
	 * Listens on a Unix socket that only the account of this process and root can open. False: another process answers
	 * there, and this one does not listen. @throws OperatorError when the path is too long
	 */
	listenOnSocket(path: string): Promise<boolean>;
	/** Stops accepting, lets running requests end, and closes the remaining connections after `withinMs`. */
	close(withinMs: number): Promise<void>;
}

/**
 * Mounts a use case behind the gate. `handle` is called only with a request that passed every check before the
 * operation's own. (The type parameter `H` keeps `status: 201` from widening to `number` while the first parameter is
 * inferred.)
 */
export function mount<Who, Op extends Operation, H extends Handler<Op, Who>>(
	gate: Gate<Who>,
	operation: Op,
	handle: H,
	options: MountOptions = {},
): void {
	gate.add(operation, handle as unknown as AnyHandler, options);
}
