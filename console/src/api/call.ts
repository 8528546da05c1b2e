import { ADDRESSES, KEYED, type Operations } from "../../../openapi/__generated__/operations.ts";
import { isAttended } from "./presence.ts";

export type OperationId = keyof Operations;
type Sent<Id extends OperationId, Part extends string> = Operations[Id]["data"] extends { [P in Part]?: infer T }
	? T
	: undefined;
type Successes<Id extends OperationId> = Operations[Id]["replies"][keyof Operations[Id]["replies"]];
/** The data of an operation's reply. */
export type DataOf<Id extends OperationId> =
	Successes<Id> extends infer Reply ? (Reply extends { data: infer T } ? T : never) : never;

/** The input of an operation: the parameters of its path, its query and its body. */
export interface Asked<Id extends OperationId> {
	readonly params?: Sent<Id, "path">;
	readonly query?: Sent<Id, "query">;
	readonly body?: Sent<Id, "body">;
	/** Sent beside the body, as a form. */
	readonly files?: readonly File[];
	/** The Idempotency-Key of a write that may be sent again unchanged; absent: a new one. */
	readonly key?: string;
	/** The version of the object, as `readVersion` read it: the write is refused if the object has changed since. */
	readonly ifMatch?: string | null;
	readonly signal?: AbortSignal;
}

export interface CallProblem {
	/** Where: a file with its line, or a JSON pointer. */
	readonly at: string;
	readonly message: string;
}

/** A refusal of the API, or no reply at all: then `code` is `no_reply`. */
export class CallError extends Error {
	readonly code: string;
	readonly status: number;
	/** The problems of each row that was sent, if the operation reports them. */
	readonly problems: readonly CallProblem[];
	constructor(code: string, message: string, status: number, problems: readonly CallProblem[] = []) {
		super(message);
		this.code = code;
		this.status = status;
		this.problems = problems;
	}
}

/** Asks the person to sign in, without leaving the page; false: they declined. */
export type AskToSignIn = (why: "ended" | "stale") => Promise<boolean>;
let askToSignIn: AskToSignIn | null = null;
/** Set while somebody is signed in. Null: a refused call fails at once. */
export const whenSignInIsNeeded = (ask: AskToSignIn | null): void => {
	askToSignIn = ask;
};

/**
 * Calls an operation of the operator's API and returns its data. If the session has ended, or the write requires a
 * fresh sign-in, the person is asked to sign in, and the call is then repeated, so that nothing typed is lost. A write
 * is sent under one Idempotency-Key however often it is repeated. @throws CallError
 */
export async function call<Id extends OperationId>(id: Id, asked: Asked<Id> = {}): Promise<DataOf<Id>> {
	const key = KEYED.has(id) ? (asked.key ?? crypto.randomUUID()) : null;
	return (await untilSignedIn(() => send(id, asked as AnyAsked, key))) as DataOf<Id>;
}

/** Repeats `attempt` as long as it is refused for lack of a sign-in and the person signs in. */
async function untilSignedIn<T>(attempt: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await attempt();
		} catch (error) {
			const why = error instanceof CallError ? SIGN_IN[error.code] : undefined;
			if (why === undefined || askToSignIn === null || !(await askToSignIn(why))) throw error;
		}
	}
}

const SIGN_IN: { readonly [code: string]: "ended" | "stale" } = {
	unauthorized: "ended",
	fresh_sign_in_needed: "stale",
};

interface AnyAsked {
	readonly params?: { readonly [name: string]: string };
	readonly query?: { readonly [name: string]: unknown };
	readonly body?: unknown;
	readonly files?: readonly File[];
	readonly ifMatch?: string | null;
	readonly signal?: AbortSignal;
}

async function send(id: OperationId, asked: AnyAsked, key: string | null): Promise<unknown> {
	const response = await exchange(id, asked, key, "application/json");
	const reply = (await response.json().catch(() => null)) as { data?: unknown } | null;
	if (reply === null) throw new CallError("no_reply", "The reply of the service cannot be read.", response.status);
	return reply.data;
}

interface Refusal {
	readonly code: string;
	readonly message: string;
	readonly problems?: readonly CallProblem[];
}

/** Sends a request. @throws CallError unless the service carried it out */
async function exchange(id: OperationId, asked: AnyAsked, key: string | null, accept: string): Promise<Response> {
	const { body, files, ifMatch, signal } = asked;
	const isJson = body !== undefined && files === undefined;
	const sent = files === undefined ? (isJson ? JSON.stringify(body) : undefined) : formOf(body, files);
	const [method = ""] = ADDRESSES[id].split(" ");
	const response = await fetch(addressOf(id, asked), {
		method,
		credentials: "same-origin",
		headers: {
			Accept: accept,
			...(isJson ? { "Content-Type": "application/json" } : {}),
			...(key === null ? {} : { "Idempotency-Key": key }),
			...(ifMatch ? { "If-Match": ifMatch } : {}),
			...(method === "GET" && !isAttended() ? { "X-Unattended": "true" } : {}),
		},
		...(sent === undefined ? {} : { body: sent }),
		...(signal === undefined ? {} : { signal }),
	}).catch((error: unknown) => {
		if (signal?.aborted) throw error;
		throw new CallError("no_reply", "The service does not answer. Check your connection, then try again.", 0);
	});
	if (response.ok) return response;
	const reply = (await response.json().catch(() => null)) as { error?: Refusal } | null;
	const { code = "no_reply", message = `The service answered with status ${response.status}.` } = reply?.error ?? {};
	throw new CallError(code, message, response.status, reply?.error?.problems);
}

function formOf(body: unknown, files: readonly File[]): FormData {
	const form = new FormData();
	form.append("data", JSON.stringify(body ?? {}));
	for (const file of files) form.append("file", file, file.name);
	return form;
}

/** The address of an operation with its parameters; for a `GET`, it can be used as a link. */
export function addressOf(id: OperationId, { params, query }: Pick<AnyAsked, "params" | "query">): string {
	const [, path = ""] = ADDRESSES[id].split(" ");
	const at = path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params?.[name] ?? ""));
	const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "");
	const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
	return search === "" ? at : `${at}?${search}`;
}

/** Calls an operation that replies with a file, such as a slip for the printer. @throws CallError */
export const callForFile = <Id extends OperationId>(id: Id, asked: Asked<Id>, accept: string): Promise<Blob> =>
	untilSignedIn(async () => (await exchange(id, asked as AnyAsked, null, accept)).blob());

/** One object as it is now, with its version for `ifMatch`. @throws CallError */
export const readVersion = (
	id: OperationId,
	params: { readonly [name: string]: string },
): Promise<{ readonly thing: object; readonly version: string | null }> =>
	untilSignedIn(async () => {
		const response = await exchange(id, { params }, null, "application/json");
		const { data } = (await response.json()) as { readonly data: object };
		return { thing: data, version: response.headers.get("etag") };
	});
