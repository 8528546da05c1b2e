import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "../src/partners/http/operation.ts";
import { checkReply } from "./check-reply.ts";

/** The operator's address and credentials: a token, the session of a browser, or the socket of a machine. */
export type As =
	| { readonly api: string; readonly token: string | null }
	| { readonly api: string; readonly cookie: string }
	| { readonly socket: string };

export interface Operated {
	readonly status: number;
	readonly headers: { readonly [name: string]: string | string[] | undefined };
	/** The content of a reply that is not JSON. */
	readonly bytes: Buffer;
	// oxlint-disable-next-line typescript/no-explicit-any -- every shape there is
	readonly json: any;
}

/** Its status and the code of its error, if it has one. */
export const codeOf = ({ status, json }: Operated): [status: number, code: unknown] => [status, json.error?.code];

export interface SentFile {
	readonly name: string;
	readonly bytes: string | Uint8Array<ArrayBuffer>;
}

export interface Asked {
	readonly params?: { readonly [name: string]: string };
	readonly query?: string;
	readonly body?: unknown;
	/** Sent as a form, with `body` as its part `data`. */
	readonly files?: readonly SentFile[];
	readonly headers?: { readonly [name: string]: string };
}

/** One request to the operator's API, whose reply must match its OpenAPI document. */
export async function operate(as: As, { method, path }: Operation, asked: Asked = {}): Promise<Operated> {
	const at = path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(asked.params?.[name] ?? "none"));
	const answer = await send(as, method, at + (asked.query ?? ""), asked);
	checkReply({ surface: "operator", method, path: at, ...answer, body: answer.json });
	return answer;
}

/** `operate` by one operator who asks for so much that the rate limit must be waited for. */
export async function operatePatiently(as: As, operation: Operation, asked: Asked = {}): Promise<Operated> {
	for (;;) {
		const answer = await operate(as, operation, asked);
		if (answer.status !== 429) return answer;
		await sleep(Number(answer.headers["retry-after"]) * 1_000);
	}
}

/** A body as it is sent. */
async function encode({ body, files }: Asked): Promise<{ type: string; bytes: Buffer } | null> {
	if (files === undefined) {
		return body === undefined ? null : { type: "application/json", bytes: Buffer.from(JSON.stringify(body)) };
	}
	const form = new FormData();
	if (body !== undefined) form.append("data", JSON.stringify(body));
	for (const { name, bytes } of files) form.append("file", new File([bytes], name));
	const encoded = new Response(form);
	return { type: encoded.headers.get("content-type") ?? "", bytes: Buffer.from(await encoded.arrayBuffer()) };
}

async function send(as: As, method: string, path: string, asked: Asked): Promise<Operated> {
	const { headers = {} } = asked;
	const sent = await encode(asked);
	const token = "token" in as ? as.token : null;
	const options = {
		method,
		path,
		headers: {
			...(token === null ? {} : { authorization: `Bearer ${token}` }),
			...("cookie" in as ? { cookie: as.cookie, "sec-fetch-site": "same-origin" } : {}),
			...(sent === null ? {} : { "content-type": sent.type, "content-length": sent.bytes.length }),
			...headers,
		},
		...("socket" in as ? { socketPath: as.socket } : { host: new URL(as.api).hostname, port: new URL(as.api).port }),
	};
	return new Promise((resolve, reject) => {
		const call = request(options, (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => {
				chunks.push(chunk);
				// a stream of events has no end: its beginning is enough
				if (response.headers["content-type"] === "text/event-stream") response.destroy();
			});
			response.on("error", reject);
			response.on("close", () => {
				const bytes = Buffer.concat(chunks);
				const { statusCode = 0, headers: seen } = response;
				const isJson = seen["content-type"]?.startsWith("application/json") === true;
				resolve({ status: statusCode, headers: seen, bytes, json: isJson ? JSON.parse(bytes.toString()) : null });
			});
		});
		call.on("error", reject);
		call.end(sent?.bytes);
	});
}
