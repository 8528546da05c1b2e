import { Agent, type IncomingMessage, request } from "node:http";

/** A request to send. */
export interface Outgoing {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly token: string;
	readonly body?: unknown;
	/** The Idempotency-Key header. */
	readonly key?: string;
}

export interface Answer {
	readonly start: number;
	readonly end: number;
	/** Null: no complete answer came. */
	readonly status: number | null;
	readonly reply: unknown;
	readonly trouble: string | null;
	/** The connection was refused: the request certainly did not arrive. */
	readonly unsent: boolean;
}

/** Milliseconds after which a partner gives up a request: longer than any answer of the service may take. */
const PATIENCE_MS = 15_000;
const SOCKETS = 64;

/** A client for one address that keeps its connections alive. */
export class Client {
	readonly #agent = new Agent({ keepAlive: true, maxSockets: SOCKETS, scheduling: "fifo" });
	readonly #url: URL;

	constructor(url: string) {
		this.#url = new URL(url);
	}

	/** Never rejects: a missing answer is a result too. */
	send({ method, path, token, body, key }: Outgoing): Promise<Answer> {
		const text = body === undefined ? null : JSON.stringify(body);
		const headers: Record<string, string> = { authorization: `Bearer ${token}` };
		if (key !== undefined) headers["idempotency-key"] = key;
		if (text !== null) {
			headers["content-type"] = "application/json";
			headers["content-length"] = String(Buffer.byteLength(text));
		}
		const { hostname, port } = this.#url;
		const start = performance.now();
		return new Promise((resolve) => {
			const end = (status: number | null, reply: unknown, trouble: string | null, unsent = false): void => {
				clearTimeout(timer);
				resolve({ start, end: performance.now(), status, reply, trouble, unsent });
			};
			const asked = request({ agent: this.#agent, hostname, port, method, path, headers }, (message) =>
				read(message, end),
			);
			const timer = setTimeout(() => asked.destroy(new Error("no answer in time")), PATIENCE_MS);
			asked.once("error", (error: NodeJS.ErrnoException) =>
				end(null, null, error.message, error.code === "ECONNREFUSED"),
			);
			asked.end(text ?? undefined);
		});
	}

	close(): void {
		this.#agent.destroy();
	}
}

/** Calls back once: with the answer, or with the reason why it is incomplete. */
function read(
	message: IncomingMessage,
	end: (status: number | null, reply: unknown, trouble: string | null) => void,
): void {
	const chunks: Buffer[] = [];
	message.on("data", (chunk: Buffer) => chunks.push(chunk));
	message.once("error", (error) => end(null, null, error.message));
	message.once("close", () => {
		if (!message.complete) return end(null, null, "the answer was cut off");
		try {
			end(message.statusCode ?? null, JSON.parse(Buffer.concat(chunks).toString("utf8")), null);
		} catch {
			end(null, null, "the answer is not JSON");
		}
	});
}
