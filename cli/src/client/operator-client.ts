import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { readEnv, toConfig } from "../../../service/src/config.ts";
import type { ErrorCode } from "../../../service/src/glossary.ts";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { wait } from "../../../service/src/ground/lib/clock.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import type { RefusedEntry } from "../../../service/src/ground/lib/refusal.ts";
import { CommandRefused, exitInterrupted, OutcomeLost } from "../terminal/failure.ts";
import { ADDRESSES, KEYED, type Operations } from "./__generated__/operations.ts";

/** Milliseconds within which the service must answer. */
const ANSWER_WITHIN_MS = 60_000;
/** Error codes of a connection to a socket on which no process listens. */
const NOBODY_THERE = new Set(["ENOENT", "ECONNREFUSED"]);
/** Error codes of a connection that was never established, so that nothing was sent. */
const NOT_CONNECTED = new Set([...NOBODY_THERE, "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
/** Milliseconds before each repeat of a call whose reply was lost, or which the service could not carry out. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];

export type OperatorOperationId = keyof Operations;
type Sent<Id extends OperatorOperationId, Part extends string> = Operations[Id]["data"] extends {
	[P in Part]?: infer T;
}
	? T
	: undefined;
type Successes<Id extends OperatorOperationId> = Operations[Id]["replies"][keyof Operations[Id]["replies"]];
type Received<Reply> = Reply extends { data: infer T } ? T : ReceivedFile;
/** What an operation answers: the data of its reply, or a file. */
export type DataOfCall<Id extends OperatorOperationId> = Received<Successes<Id>>;

/** The arguments of a call: an optional member may be present and undefined, as the options of a command are. */
type Given<T> = T extends readonly (infer E)[]
	? readonly Given<E>[]
	: T extends object
		? { readonly [K in keyof T]: undefined extends T[K] ? Given<T[K]> | undefined : Given<T[K]> }
		: T;

/** The path parameters, the query and the body, as far as the operation has them. */
export interface Asked<Id extends OperatorOperationId> {
	readonly params?: Given<Sent<Id, "path">>;
	readonly query?: Given<Sent<Id, "query">>;
	readonly body?: Given<Sent<Id, "body">>;
	/** Sent as a form, with `body` as its part `data`. */
	readonly files?: readonly SentFile[];
	/** Set for a write whose first reply is fetched again; absent: the write gets a key of its own. */
	readonly idempotencyKey?: string;
}

/** A file to send: its name without folders. */
export interface SentFile {
	readonly name: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

/** `Asked` without the types of an operation. */
interface AnyAsked {
	readonly params?: { readonly [name: string]: string };
	readonly query?: { readonly [name: string]: string | number | boolean | undefined };
	readonly body?: unknown;
	readonly files?: readonly SentFile[] | undefined;
	readonly idempotencyKey?: string;
}

/** By code: a sentence that is added to the refusal and names a command that helps. */
export type Hints = { readonly [code in ErrorCode]?: string };

/** The address of the operator's API. */
type Place = { readonly socketPath: string } | { readonly url: string; readonly token: string };

/** Calls an operation and returns its `data`. @throws CommandRefused with the code of the API's refusal */
export type CallOperator = <Id extends OperatorOperationId>(
	id: Id,
	asked?: Asked<Id>,
	hints?: Hints,
) => Promise<DataOfCall<Id>>;

/** A reply that is not JSON. */
interface ReceivedFile {
	readonly bytes: Buffer;
	/** By name in lower case. */
	readonly headers: IncomingHttpHeaders;
}

/** The session that a command has with the operator's API. */
export interface OperatorSession {
	/** No service runs: this process serves the API. */
	readonly isHere: boolean;
	/** Calls an operation whose reply is a file that may be too large for memory, and returns it as it arrives. */
	readonly open: <Id extends OperatorOperationId>(id: Id, asked: Asked<Id>) => Promise<IncomingMessage>;
	/** Sets the message for an interruption. */
	onInterrupt(tell: () => string): void;
}

/** One call of an operation; see `withOperator`. */
export const callOperator: CallOperator = (id, asked, hints) =>
	withOperator((call) => call(id, asked, hints), { mayMake: id === "mint_key", withoutRing: id === "explain_count" });

/**
 * Runs `work` with the operator's API: that of the service at HOLDFAST_URL if HOLDFAST_OPERATOR_TOKEN is set, else that
 * of the service of the data folder, else one in this process on the same database, as long as the command runs.
 * Creates a missing embedded database only with `mayMake`. `withoutRing`: `work` needs no key ring if no service runs,
 * so that it works even if the ring is lost.
 */
export async function withOperator<T>(
	work: Work<T>,
	{ mayMake = false, withoutRing = false }: { readonly mayMake?: boolean; readonly withoutRing?: boolean } = {},
): Promise<T> {
	const config = toConfig(readEnv());
	if (config.operatorToken !== null) {
		if (config.url === null)
			throw new OperatorError("HOLDFAST_OPERATOR_TOKEN is set: set HOLDFAST_URL to the address of the service, too.");
		return await workAt({ url: config.url, token: config.operatorToken }, IN_SERVICE, work);
	}
	if (await answers(config.adminSocket)) return await workAt({ socketPath: config.adminSocket }, IN_SERVICE, work);
	const [{ withStore }, { operateHere }, { settingsOfService }, { newKeyRingEntry, parseKeyRing }] = await Promise.all([
		import("../offline/context.ts"),
		import("../../../service/src/assembly/operate-here.ts"),
		import("../offline/settings-of-service.ts"),
		import("../../../service/src/partners/keys/key-ring.ts"),
	]);
	return await withStore(
		async ({ db, url: databaseUrl, ring: ringInForce, onInterrupt }) => {
			const ring = withoutRing ? parseKeyRing(newKeyRingEntry()) : await ringInForce();
			const here = { db, databaseUrl, ring, config: await settingsOfService(db) };
			return await operateHere(here, (socketPath) => workAt({ socketPath }, { isHere: true, onInterrupt }, work));
		},
		{ mayMake },
	);
}

type Work<T> = (call: CallOperator, session: OperatorSession) => Promise<T>;

const workAt = <T>(place: Place, session: Omit<OperatorSession, "open">, work: Work<T>): Promise<T> =>
	work(callsAt(place), { ...session, open: (id, asked) => openFile(place, id, asked as AnyAsked) });

const IN_SERVICE: Omit<OperatorSession, "open"> = {
	isHere: false,
	onInterrupt(tell) {
		for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => exitInterrupted(tell()));
	},
};

/** Whether a service listens on this socket. */
async function answers(path: string): Promise<boolean> {
	const socket = connect(path);
	try {
		await once(socket, "connect");
		return true;
	} catch (error) {
		if (NOBODY_THERE.has((error as { code?: string }).code ?? "")) return false;
		throw error;
	} finally {
		socket.destroy();
	}
}

const callsAt =
	(place: Place): CallOperator =>
	async (id, asked = {}, hints = {}) => {
		try {
			return (await send(place, id, asked as AnyAsked)) as DataOfCall<typeof id>;
		} catch (error) {
			const hint = error instanceof CommandRefused ? hints[error.code] : undefined;
			if (!(error instanceof CommandRefused) || hint === undefined) throw error;
			throw new CommandRefused(error.code, `${error.message} ${hint}`, error.problems);
		}
	};

/** Maximum number of items per page. */
const PAGE = 500;

type ListId = {
	[Id in OperatorOperationId]: DataOfCall<Id> extends { readonly items: readonly unknown[] } ? Id : never;
}[OperatorOperationId];
/** An item of a list. */
export type ItemOf<Id extends ListId> =
	DataOfCall<Id> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** A list with the items of all its pages; its other fields are those of the last page. */
type AllOf<Id extends ListId> = Omit<DataOfCall<Id>, "items" | "next_cursor"> & {
	readonly items: ItemOf<Id>[];
	readonly next_cursor: string | null;
};

/** The items of a list, page by page: all of them, or at most `most`. `params`: the path parameters. */
export const listItems = <Id extends ListId>(
	id: Id,
	query: Asked<Id>["query"],
	most = Number.POSITIVE_INFINITY,
	hints: Hints = {},
	params?: Asked<Id>["params"],
): Promise<AllOf<Id>> =>
	withOperator((call) => pagesOf(call, id, { query, ...(params === undefined ? {} : { params }) }, most, hints));

/** Like `listItems`, for a command that calls several operations. */
export async function pagesOf<Id extends ListId>(
	call: CallOperator,
	id: Id,
	{ query, params }: { query?: Asked<Id>["query"]; params?: Asked<Id>["params"] } = {},
	most = Number.POSITIVE_INFINITY,
	hints: Hints = {},
): Promise<AllOf<Id>> {
	const items: ItemOf<Id>[] = [];
	let cursor: string | null = null;
	let last: object = {};
	do {
		const limit = Math.min(PAGE, most - items.length);
		const asked = {
			...(params === undefined ? {} : { params }),
			query: { ...(query as object | undefined), limit, cursor: cursor ?? undefined },
		} as unknown as Asked<Id>;
		const page = (await call(id, asked, hints)) as { items: readonly ItemOf<Id>[]; next_cursor: string | null };
		items.push(...page.items);
		cursor = page.next_cursor;
		last = page;
	} while (cursor !== null && items.length < most);
	return { ...last, items, next_cursor: cursor } as unknown as AllOf<Id>;
}

/** A body as it is sent. */
async function encode({ body, files }: AnyAsked): Promise<{ readonly type: string; readonly bytes: Buffer } | null> {
	if (files === undefined) {
		return body === undefined ? null : { type: "application/json", bytes: Buffer.from(JSON.stringify(body)) };
	}
	const form = new FormData();
	if (body !== undefined) form.append("data", JSON.stringify(body));
	for (const { name, bytes } of files) form.append("file", new File([bytes], name));
	const encoded = new Response(form);
	return { type: encoded.headers.get("content-type") ?? "", bytes: Buffer.from(await encoded.arrayBuffer()) };
}

/**
 * Sends a call until it is answered, at most as often as PAUSES_MS allows. Every write that can take one has an
 * Idempotency-Key, so that it is carried out once although it is sent again. @throws OutcomeLost if a write may have
 * been carried out
 */
async function send(place: Place, id: OperatorOperationId, asked: AnyAsked): Promise<unknown> {
	const isRead = ADDRESSES[id].startsWith("GET ");
	const keyed = isRead ? asked : { idempotencyKey: newId(), ...asked };
	const pausesMs = isRead || KEYED.has(id) ? [...PAUSES_MS] : [];
	for (let isLost = false; ; ) {
		try {
			const response = await begin(place, id, keyed);
			return answerOf(response, await buffer(response));
		} catch (error) {
			isLost ||= error instanceof NoAnswer || !(error instanceof OperatorError || isNotConnected(error));
			const isWorthRepeating = error instanceof OperatorError ? mayPass(error) : isLost;
			const pauseMs = isWorthRepeating ? pausesMs.shift() : undefined;
			if (pauseMs === undefined) throw isLost && !isRead ? new OutcomeLost(error) : understood(place, error);
			await wait(pauseMs);
		}
	}
}

/** The service did not answer in time. */
class NoAnswer extends OperatorError {}

const isNotConnected = (error: unknown): boolean => NOT_CONNECTED.has((error as { code?: string }).code ?? "");

/** Whether the same call may succeed when repeated: another change was in the way, or the service failed. */
const mayPass = (error: OperatorError): boolean =>
	error instanceof CommandRefused && (error.code === "retry" || error.code === "internal_error");

async function openFile(place: Place, id: OperatorOperationId, asked: AnyAsked): Promise<IncomingMessage> {
	const response = await begin(place, id, asked).catch((error: unknown) => {
		throw understood(place, error);
	});
	if (isFile(response)) return response;
	answerOf(response, await buffer(response));
	throw new OperatorError("The server that answered is not Holdfast: its reply is not a file. Check HOLDFAST_URL.");
}

/** Sends a request, and returns the reply once it begins. */
async function begin(place: Place, id: OperatorOperationId, asked: AnyAsked): Promise<IncomingMessage> {
	const { params = {}, query = {} } = asked;
	const [method = "", path = ""] = ADDRESSES[id].split(" ");
	const named = path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ""));
	const given = Object.entries(query).flatMap<[string, string]>(([name, value]) =>
		value === undefined ? [] : [[name, String(value)]],
	);
	const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
	const body = await encode(asked);
	const headers: Record<string, string | number> =
		body === null ? {} : { "content-type": body.type, "content-length": body.bytes.length };
	if (asked.idempotencyKey !== undefined) headers["idempotency-key"] = asked.idempotencyKey;
	if ("token" in place) headers.authorization = `Bearer ${place.token}`;
	const options = { method, headers, timeout: ANSWER_WITHIN_MS, agent: false as const };
	return await new Promise((resolve, reject) => {
		const url = "url" in place ? new URL(place.url + named + search) : null;
		// an import statement would load fetch with the module, which takes longer than the request
		const { request } = process.getBuiltinModule(url?.protocol === "https:" ? "node:https" : "node:http");
		const sent = url === null ? request({ ...options, path: named + search, ...place }) : request(url, options);
		sent.on("timeout", () => sent.destroy(new NoAnswer("The service did not answer in time. Look at its log.")));
		sent.on("error", reject);
		sent.on("response", resolve);
		sent.end(body?.bytes);
	});
}

/** A failed connection, in words that name the address. */
function understood(place: Place, error: unknown): unknown {
	if (error instanceof OperatorError) return error;
	const where = "url" in place ? `at ${new URL(place.url).origin}` : `on ${place.socketPath}`;
	return new OperatorError(`The service ${where} cannot be reached: ${messageOf(error)}.`, { cause: error });
}

interface ReplyDocument {
	readonly data?: unknown;
	readonly error?: {
		readonly code: ErrorCode;
		readonly message: string;
		readonly problems?: readonly RefusedEntry[];
	};
}

/** Media types of the files that the service sends. */
const FILE_TYPE = /^(application\/(pdf|x-tar)|image\/svg\+xml)\b/;

const isFile = ({ statusCode, headers }: IncomingMessage): boolean =>
	statusCode === 200 && FILE_TYPE.test(headers["content-type"] ?? "");

function answerOf(response: IncomingMessage, bytes: Buffer): unknown {
	if (isFile(response)) return { bytes, headers: response.headers };
	let document: ReplyDocument;
	try {
		document = JSON.parse(bytes.toString("utf8"));
	} catch {
		throw new OperatorError("The server that answered is not Holdfast: its reply is not JSON. Check HOLDFAST_URL.");
	}
	const { data, error } = document;
	if (error !== undefined) throw new CommandRefused(error.code, error.message, error.problems);
	return data;
}
