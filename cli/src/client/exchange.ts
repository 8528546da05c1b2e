import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { ADDRESSES, KEYED } from "../../../openapi/__generated__/operations.ts";
import type { ErrorCode } from "../../../service/src/glossary.ts";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { wait } from "../../../service/src/ground/lib/clock.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import type { RefusedEntry } from "../../../service/src/ground/lib/refusal.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { CommandRefused, OutcomeLost } from "../terminal/failure.ts";

/** Milliseconds within which the service must answer. */
const ANSWER_WITHIN_MS = 60_000;
/** Error codes of a connection to a socket on which no process listens. */
export const NOBODY_THERE: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED"]);
/** Error codes of a connection on which TLS could not be negotiated. */
const NO_TLS = /^(EPROTO|ERR_(SSL|TLS)|CERT_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_)/;
/** Milliseconds before each repeat of a call whose reply was lost, or which the service could not carry out. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];

/** The address of the operator's API. */
export type ServiceAddress = { readonly socketPath: string } | { readonly url: string; readonly token: string };

/** A file to send: its name without folders. */
export interface SentFile {
	readonly name: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The arguments of any operation. */
export interface AnyAsked {
	readonly params?: { readonly [name: string]: string };
	readonly query?: { readonly [name: string]: string | number | boolean | undefined };
	readonly body?: unknown;
	readonly files?: readonly SentFile[] | undefined;
	readonly idempotencyKey?: string;
	/** The media type of the reply, where it can have several. */
	readonly accept?: string;
}

/** A reply that is not JSON. */
export interface ReceivedFile {
	readonly bytes: Buffer;
	/** By name in lower case. */
	readonly headers: IncomingHttpHeaders;
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
export async function send(place: ServiceAddress, id: keyof typeof ADDRESSES, asked: AnyAsked): Promise<unknown> {
	const isRead = ADDRESSES[id].startsWith("GET ");
	const keyed = isRead ? asked : { idempotencyKey: newId(), ...asked };
	const pausesMs = isRead || KEYED.has(id) ? [...PAUSES_MS] : [];
	for (let [isLost, hasFailed] = [false, false]; ; ) {
		try {
			const response = await begin(place, id, keyed);
			return answerOf(place, response, await buffer(response));
		} catch (error) {
			isLost ||= error instanceof NoAnswer || !(error instanceof OperatorError || error instanceof NotConnected);
			hasFailed ||= error instanceof CommandRefused && error.code === "internal_error"; // it may have committed
			const isWorthRepeating = error instanceof CommandRefused ? mayPass(error) : isLost || hasFailed;
			const pauseMs = isWorthRepeating ? pausesMs.shift() : undefined;
			const isUnknown = isLost || (hasFailed && !(error instanceof CommandRefused));
			if (pauseMs === undefined) throw isUnknown && !isRead ? new OutcomeLost(error) : understood(place, error);
			await wait(pauseMs);
		}
	}
}

/** The service did not answer in time, or a proxy answered in its place. */
class NoAnswer extends OperatorError {}

/** No connection was established, so nothing was sent. */
class NotConnected extends Error {}

/** Whether the same call may succeed when repeated: another change was in the way, or the service failed. */
const mayPass = ({ code }: CommandRefused): boolean => code === "retry" || code === "internal_error";

/** Sends a call whose reply is a file, and returns it as it arrives. */
export async function openFile(
	place: ServiceAddress,
	id: keyof typeof ADDRESSES,
	asked: AnyAsked,
): Promise<IncomingMessage> {
	const response = await begin(place, id, asked).catch((error: unknown) => {
		throw understood(place, error);
	});
	if (isFile(response) || isAskedFor(response, asked)) return response;
	answerOf(place, response, await buffer(response));
	throw new OperatorError("The server that answered is not Holdfast: its reply is not a file. Check HOLDFAST_URL.");
}

/** Sends a request, and returns the reply once it begins. */
async function begin(place: ServiceAddress, id: keyof typeof ADDRESSES, asked: AnyAsked): Promise<IncomingMessage> {
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
	if (asked.accept !== undefined) headers.accept = asked.accept;
	if ("token" in place) headers.authorization = `Bearer ${place.token}`;
	const options = { method, headers, timeout: ANSWER_WITHIN_MS, agent: false as const };
	return await new Promise((resolve, reject) => {
		const url = "url" in place ? new URL(place.url + named + search) : null;
		// an import statement would load fetch with the module, which takes longer than the request
		const { request } = process.getBuiltinModule(url?.protocol === "https:" ? "node:https" : "node:http");
		const sent = url === null ? request({ ...options, path: named + search, ...place }) : request(url, options);
		sent.on("timeout", () => sent.destroy(new NoAnswer("The service did not answer in time. See its log.")));
		let isConnected = false;
		sent.on("socket", (socket) =>
			socket.once(url?.protocol === "https:" ? "secureConnect" : "connect", () => {
				isConnected = true;
			}),
		);
		sent.on("error", (error) => {
			const isUnsent = !isConnected && !(error instanceof OperatorError);
			reject(isUnsent ? new NotConnected(error.message, { cause: error }) : error);
		});
		sent.on("response", resolve);
		sent.end(body?.bytes);
	});
}

/** A failed connection, in words that name the address. */
function understood(place: ServiceAddress, error: unknown): unknown {
	if (error instanceof OperatorError) return error;
	const where = "url" in place ? `at ${place.url}` : `on ${place.socketPath}`;
	const { code = "" } = ((error as Error).cause ?? {}) as { readonly code?: string };
	const why = NO_TLS.test(code)
		? `TLS failed at this address (${code}). Check that it is the address of the proxy that terminates TLS.`
		: `${messageOf(error)}.`;
	return new OperatorError(`The service ${where} cannot be reached: ${why}`, { cause: error });
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
const FILE_TYPE = /^(application\/(pdf|x-tar)|image\/svg\+xml|text\/csv)\b/;

const isFile = ({ statusCode, headers }: IncomingMessage): boolean =>
	statusCode === 200 && FILE_TYPE.test(headers["content-type"] ?? "");

/** A page of HTML is a file only if it was asked for: proxies send their errors as such. */
const isAskedFor = ({ statusCode, headers }: IncomingMessage, { accept }: AnyAsked): boolean =>
	statusCode === 200 && accept !== undefined && headers["content-type"]?.startsWith(accept) === true;

/** Statuses of a proxy that got no reply of the service. */
const OF_PROXIES: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/** The reply; null: it is not one of the service's. */
function documentIn(bytes: Buffer): ReplyDocument | null {
	try {
		const document: unknown = JSON.parse(bytes.toString("utf8"));
		const { data, error } = Object(document) as { readonly data?: unknown; readonly error?: unknown };
		return data !== undefined || (typeof error === "object" && error !== null) ? (document as ReplyDocument) : null;
	} catch {
		return null;
	}
}

function answerOf(place: ServiceAddress, response: IncomingMessage, bytes: Buffer): unknown {
	if (isFile(response)) return { bytes, headers: response.headers };
	const document = documentIn(bytes);
	if (document === null && OF_PROXIES.has(response.statusCode))
		throw new NoAnswer(`A proxy answered ${response.statusCode} in place of the service. See the service's log.`);
	if (document === null)
		throw new OperatorError("The server that answered is not Holdfast: its reply is not JSON. Check HOLDFAST_URL.");
	const { data, error } = document;
	if (error !== undefined)
		throw new CommandRefused(error.code, `${error.message}${adviceOn(place, error)}`, error.problems);
	return data;
}

/** The message for a path that nothing serves begins so (partners/http/unknown-path.ts). */
const NO_SUCH_PATH = "There is nothing at this path";

/** What an operator at another machine can do about an address or a token that is wrong. */
function adviceOn(
	place: ServiceAddress,
	{ code, message }: { readonly code: ErrorCode; readonly message: string },
): string {
	if (!("url" in place)) return "";
	if (code === "unauthorized")
		return ` The token does not exist at ${place.url}, was revoked, or has expired: an admin makes another with ${quotedCommand("operators token NAME --role ROLE")}.`;
	return message.startsWith(NO_SUCH_PATH)
		? ` The operator's API is not served at ${place.url}: set HOLDFAST_URL to the address of the partner API, without a path, or to that of HOLDFAST_ADMIN_PORT.`
		: "";
}
