import { request } from "node:http";
import type { Operation } from "../src/partners/http/operation.ts";
import { checkReply } from "./check-reply.ts";

/** Where and as whom an operator calls: with a token, or on the socket of a machine. */
export type As = { readonly api: string; readonly token: string | null } | { readonly socket: string };

export interface Operated {
	readonly status: number;
	readonly headers: { readonly [name: string]: string | string[] | undefined };
	// oxlint-disable-next-line typescript/no-explicit-any -- every shape there is
	readonly json: any;
}

export interface Asked {
	readonly params?: { readonly [name: string]: string };
	readonly query?: string;
	readonly body?: unknown;
	readonly headers?: { readonly [name: string]: string };
}

/** One request to the operator's API, whose reply must be one that its OpenAPI document has. */
export async function operate(as: As, { method, path }: Operation, asked: Asked = {}): Promise<Operated> {
	const at = path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(asked.params?.[name] ?? "none"));
	const answer = await send(as, method, at + (asked.query ?? ""), asked);
	checkReply({ surface: "operator", method, path: at, ...answer, body: answer.json });
	return answer;
}

function send(as: As, method: string, path: string, { body, headers = {} }: Asked): Promise<Operated> {
	const text = body === undefined ? null : JSON.stringify(body);
	const token = "token" in as ? as.token : null;
	const options = {
		method,
		path,
		headers: {
			...(token === null ? {} : { authorization: `Bearer ${token}` }),
			...(text === null ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
			...headers,
		},
		...("socket" in as ? { socketPath: as.socket } : { host: new URL(as.api).hostname, port: new URL(as.api).port }),
	};
	return new Promise((resolve, reject) => {
		const sent = request(options, (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("error", reject);
			response.on("end", () => {
				const read = Buffer.concat(chunks).toString();
				const { statusCode = 0, headers: seen } = response;
				resolve({ status: statusCode, headers: seen, json: read === "" ? null : JSON.parse(read) });
			});
		});
		sent.on("error", reject);
		sent.end(text);
	});
}
