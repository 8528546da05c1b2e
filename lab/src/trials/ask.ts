import http from "node:http";

/** Milliseconds after which a request counts as unanswered. */
const PATIENCE_MS = 90_000;
/** Maximum number of sockets for one address. */
const MOST_SOCKETS = 512;

/** A request and its result. */
export interface Answer {
	/** Null: no complete answer came. */
	readonly status: number | null;
	readonly reply: unknown;
	/** Milliseconds of the lab's clock. */
	readonly began: number;
	readonly ms: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: MOST_SOCKETS });

/** Sends one request to a node; a failed connection gives an answer without a status. */
export function ask(
	base: string,
	token: string,
	method: "GET" | "POST",
	path: string,
	body?: unknown,
): Promise<Answer> {
	const began = performance.now();
	const payload = body === undefined ? undefined : JSON.stringify(body);
	return new Promise((resolve) => {
		const finish = (status: number | null, text: string): void =>
			resolve({ status, reply: parse(text), began, ms: performance.now() - began });
		const headers = {
			authorization: `Bearer ${token}`,
			...(payload === undefined
				? {}
				: { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
		};
		const options = { agent, method, headers, signal: AbortSignal.timeout(PATIENCE_MS) };
		const request = http.request(`${base}${path}`, options, (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("end", () => finish(response.statusCode ?? null, Buffer.concat(chunks).toString("utf8")));
			response.on("error", () => finish(null, ""));
		});
		request.on("error", () => finish(null, ""));
		request.end(payload);
	});
}

/** The error code of an answer, or its status. */
export function saying({ status, reply }: Answer): string {
	const code = (reply as { error?: { code?: unknown } } | null)?.error?.code;
	return status === null ? "no answer" : typeof code === "string" ? `${status} ${code}` : String(status);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
