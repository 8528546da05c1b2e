import { Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import type { Static } from "typebox";
import type { ErrorCode } from "../../src/glossary.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { checkReply } from "../check-reply.ts";

/** What a test may change about a request. */
export interface Extra {
	readonly headers?: OutgoingHttpHeaders;
	/** Bytes to send instead of JSON. */
	readonly raw?: string | Buffer;
	/** Appended to the address unchanged, instead of a query. */
	readonly search?: string;
	readonly method?: string;
	readonly path?: string;
	/** Parameters of the path; those of the operation's example by default. */
	readonly params?: { readonly [name: string]: string };
}

/** The path of an operation with these parameters. A parameter without a value gets one that identifies nothing. */
export const pathWith = ({ path, examples }: Operation, params: Extra["params"] = examples.params ?? {}): string =>
	path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? "nothing-has-this-name"));

/** One reply, already checked against the OpenAPI document. */
export class Answer<D = unknown> {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** Header names as sent, one for each line. */
	readonly headerNames: readonly string[];
	readonly text: string;
	readonly what: string;

	constructor(
		what: string,
		status: number,
		headers: IncomingHttpHeaders,
		headerNames: readonly string[],
		text: string,
	) {
		this.what = what;
		this.status = status;
		this.headers = headers;
		this.headerNames = headerNames;
		this.text = text;
	}

	get json(): unknown {
		return this.text === "" ? null : JSON.parse(this.text);
	}

	/** The data of a success; any other reply fails the test, which shows it. */
	get data(): D {
		const { data } = (this.json ?? {}) as { data?: D };
		if (data === undefined) throw new Error(`${this.what} answered ${this.status} ${this.text}`);
		return data;
	}

	/** The error of a refusal; a success fails the test. */
	get error(): { readonly code: ErrorCode; readonly message: string } {
		const { error } = (this.json ?? {}) as { error?: { code: ErrorCode; message: string } };
		if (error === undefined) throw new Error(`${this.what} answered ${this.status} ${this.text}`);
		return error;
	}

	/** Status and code together, by which a client decides. */
	get verdict(): string {
		return this.status < 400 ? String(this.status) : `${this.status} ${this.error.code}`;
	}

	header(name: string): string | undefined {
		const value = this.headers[name];
		return Array.isArray(value) ? value.join(", ") : value;
	}
}

type Given<Op extends Operation> = Op extends { readonly body: infer B extends NonNullable<Operation["body"]> }
	? Static<B>
	: Op extends { readonly query: infer Q extends NonNullable<Operation["query"]> }
		? Static<Q>
		: undefined;
type DataOf<Op extends Operation> = Static<Op["replies"][keyof Op["replies"] & number]>;

/** Real HTTP to one address; every reply is checked against the OpenAPI document before a test gets it. */
export interface Client {
	/** Sends a request as the contract of the operation says. `token` null: without a key. */
	call<Op extends Operation>(
		operation: Op,
		token: string | null,
		given: Given<Op>,
		extra?: Extra,
	): Promise<Answer<DataOf<Op>>>;
	/** The same with arbitrary parts instead of those that the contract requires. */
	send(operation: Operation, token: string | null, given: unknown, extra?: Extra): Promise<Answer>;
	close(): void;
}

export function createClient(port: number): Client {
	const agent = new Agent({ keepAlive: true, maxSockets: 64 });
	const send = async (
		operation: Operation,
		token: string | null,
		given: unknown,
		{ headers = {}, raw, search, method, path, params }: Extra = {},
	): Promise<Answer> => {
		const isGet = operation.method === "GET";
		const body = raw ?? (isGet || given === undefined ? undefined : JSON.stringify(given));
		const target = (path ?? pathWith(operation, params)) + (search ?? (isGet ? queryOf(given) : ""));
		const answer = await exchange(agent, port, {
			method: method ?? operation.method,
			path: target,
			headers: {
				...(token === null ? {} : { authorization: `Bearer ${token}` }),
				...(body === undefined ? {} : { "content-type": "application/json" }),
				...headers,
			},
			body,
		});
		checkReply({
			method: method ?? operation.method,
			path: target,
			status: answer.status,
			headers: answer.headers,
			body: answer.json,
		});
		return answer;
	};
	return {
		call: (operation, token, given, extra) => send(operation, token, given, extra) as never,
		send,
		close: () => agent.destroy(),
	};
}

function queryOf(given: unknown): string {
	if (typeof given !== "object" || given === null) return "";
	const pairs = Object.entries(given).filter(([, value]) => value !== undefined);
	return pairs.length === 0
		? ""
		: `?${new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

interface Exchange {
	readonly method: string;
	readonly path: string;
	readonly headers: OutgoingHttpHeaders;
	readonly body: string | Buffer | undefined;
}

function exchange(agent: Agent, port: number, { method, path, headers, body }: Exchange): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
		const sent = httpRequest({ host: "127.0.0.1", port, agent, method, path, headers: { ...length, ...headers } });
		sent.on("error", reject);
		sent.on("response", (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("error", reject);
			response.on("end", () => {
				const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
				const text = Buffer.concat(chunks).toString("utf8");
				resolve(new Answer(`${method} ${path}`, response.statusCode ?? 0, response.headers, names, text));
			});
		});
		sent.end(body);
	});
}
