import { ADDRESSES, KEYED, type Operations } from "../../../openapi/__generated__/operations.ts";

export type OperationId = keyof Operations;
type Sent<Id extends OperationId, Part extends string> = Operations[Id]["data"] extends { [P in Part]?: infer T }
	? T
	: undefined;
type Successes<Id extends OperationId> = Operations[Id]["replies"][keyof Operations[Id]["replies"]];
/** The data of an operation's reply. */
export type DataOf<Id extends OperationId> =
	Successes<Id> extends infer Reply ? (Reply extends { data: infer T } ? T : never) : never;

/** What an operation is asked with: the parameters of its path, its query and its body. */
export interface Asked<Id extends OperationId> {
	readonly params?: Sent<Id, "path">;
	readonly query?: Sent<Id, "query">;
	readonly body?: Sent<Id, "body">;
	readonly signal?: AbortSignal;
}

/** A refusal of the API, or no reply at all: then `code` is `no_reply`. */
export class CallError extends Error {
	readonly code: string;
	readonly status: number;
	constructor(code: string, message: string, status: number) {
		super(message);
		this.code = code;
		this.status = status;
	}
}

/** Asks the person to sign in, without leaving the page; false: they would rather not. */
export type AskToSignIn = (why: "ended" | "stale") => Promise<boolean>;
let askToSignIn: AskToSignIn | null = null;
/** Set while somebody is signed in. Null: a refused call fails at once. */
export const whenSignInIsNeeded = (ask: AskToSignIn | null): void => {
	askToSignIn = ask;
};

/**
 * Calls an operation of the operator's API and returns its data. A session that has ended, or a write that asks for a
 * fresh sign-in, is answered by asking the person to sign in; the call is then repeated, so that nothing typed is lost.
 * A write is sent under one Idempotency-Key however often it is repeated. @throws CallError
 */
export async function call<Id extends OperationId>(id: Id, asked: Asked<Id> = {}): Promise<DataOf<Id>> {
	const key = KEYED.has(id) ? crypto.randomUUID() : null;
	for (;;) {
		try {
			return (await send(id, asked as AnyAsked, key)) as DataOf<Id>;
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
	readonly signal?: AbortSignal;
}

async function send(id: OperationId, { params, query, body, signal }: AnyAsked, key: string | null): Promise<unknown> {
	const [method = "", path = ""] = ADDRESSES[id].split(" ");
	const at = path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params?.[name] ?? ""));
	const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "");
	const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
	const response = await fetch(search === "" ? at : `${at}?${search}`, {
		method,
		credentials: "same-origin",
		headers: {
			...(body === undefined ? {} : { "Content-Type": "application/json" }),
			...(key === null ? {} : { "Idempotency-Key": key }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
		...(signal === undefined ? {} : { signal }),
	}).catch((error: unknown) => {
		if (signal?.aborted) throw error;
		throw new CallError("no_reply", "The service does not answer. Check your connection, then try again.", 0);
	});
	const reply = (await response.json().catch(() => null)) as {
		data?: unknown;
		error?: { code: string; message: string };
	} | null;
	if (response.ok && reply !== null) return reply.data;
	const { code = "no_reply", message = `The service answered with status ${response.status}.` } = reply?.error ?? {};
	throw new CallError(code, message, response.status);
}
