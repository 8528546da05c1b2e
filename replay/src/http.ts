import { connect, type Socket } from "node:net";

/**
 * A small HTTP/1.1 client on raw sockets: keep-alive, one request at a time per connection, as many connections as
 * concurrent requests. The replay shares its machine with the service it measures, so a request must be cheap; and it
 * cuts connections on purpose, which a library would hide.
 */

/** The request may have been sent; whether it was executed is unknown. */
export class ConnectionLost extends Error {}

/** When the client closes the connection on purpose: once the request was sent, or at the first byte of the answer. */
export type CutAt = "sent" | "answered";

export interface Reply {
	readonly status: number;
	/** Seconds, from `Retry-After`; 0 when there is none. */
	readonly retryAfter: number;
	/** `Idempotent-Replayed`: the answer repeats an earlier result. */
	readonly replayed: boolean;
	/** The parsed JSON. */
	readonly body: unknown;
}

export interface HttpRequest {
	readonly method: "GET" | "POST";
	readonly path: string;
	/** `pk_…:sk_…`; without it no Authorization header is sent. */
	readonly token?: string;
	/** Lower-case names. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
	readonly cut?: CutAt | undefined;
}

/** Milliseconds after which an answer counts as lost. */
const PATIENCE_MS = 30_000;
const HEADERS_END = Buffer.from("\r\n\r\n");

export class Client {
	readonly #host: string;
	readonly #port: number;
	readonly #idle: Connection[] = [];
	readonly #open = new Set<Connection>();
	readonly #sweep: NodeJS.Timeout;

	/** `url`: http only; the service is on the same machine or network. */
	constructor(url: string) {
		const { protocol, hostname, port } = new URL(url);
		if (protocol !== "http:") throw new Error(`${url}: only http:// is supported`);
		this.#host = hostname.replace(/^\[|\]$/g, "");
		this.#port = Number(port || 80);
		this.#sweep = setInterval(() => this.#dropLate(), 1000).unref();
	}

	/** Returns the reply, whatever its status. Rejects with ConnectionLost if none came. */
	send(request: HttpRequest): Promise<Reply> {
		const connection = this.#idle.pop() ?? this.#connect();
		return connection.send(this.#bytes(request), request.cut);
	}

	close(): void {
		clearInterval(this.#sweep);
		for (const connection of this.#open) connection.close();
	}

	#bytes({ method, path, token, headers = {}, body }: HttpRequest): Buffer {
		const payload = body === undefined ? "" : JSON.stringify(body);
		const authorization = token === undefined ? "" : `authorization: Bearer ${token}\r\n`;
		const others = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
		const content =
			body === undefined ? "" : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(payload)}\r\n`;
		return Buffer.from(
			`${method} ${path} HTTP/1.1\r\nhost: ${this.#host}:${this.#port}\r\n${authorization}${others.join("")}${content}\r\n${payload}`,
		);
	}

	#connect(): Connection {
		const connection = new Connection(connect({ host: this.#host, port: this.#port, noDelay: true }), {
			free: () => this.#idle.push(connection),
			gone: () => {
				this.#open.delete(connection);
				const at = this.#idle.indexOf(connection);
				if (at >= 0) this.#idle.splice(at, 1);
			},
		});
		this.#open.add(connection);
		return connection;
	}

	#dropLate(): void {
		const latest = performance.now() - PATIENCE_MS;
		for (const connection of this.#open) if (connection.waitingSince < latest) connection.close();
	}
}

interface Waiting {
	readonly resolve: (reply: Reply) => void;
	readonly reject: (reason: ConnectionLost) => void;
	readonly cut: CutAt | undefined;
	readonly since: number;
}

interface Head {
	readonly status: number;
	readonly retryAfter: number;
	readonly replayed: boolean;
	readonly close: boolean;
	/** Where the body begins. */
	readonly bodyAt: number;
}

class Connection {
	readonly #socket: Socket;
	readonly #free: () => void;
	#waiting: Waiting | null = null;
	#received: Buffer[] = [];
	#size = 0;
	/** Size of the whole reply in bytes; 0 until its headers have arrived. */
	#wanted = 0;
	#head: Head | null = null;

	constructor(socket: Socket, on: { free: () => void; gone: () => void }) {
		this.#socket = socket;
		this.#free = on.free;
		socket.on("data", (bytes: Buffer) => this.#read(bytes));
		socket.on("error", () => {}); // "close" follows, and rejects the request
		socket.on("close", () => {
			on.gone();
			this.#waiting?.reject(new ConnectionLost("the connection closed before the answer"));
			this.#waiting = null;
		});
	}

	/** When the request in flight was sent, performance.now(); Infinity if there is none. */
	get waitingSince(): number {
		return this.#waiting?.since ?? Number.POSITIVE_INFINITY;
	}

	send(request: Buffer, cut: CutAt | undefined): Promise<Reply> {
		return new Promise((resolve, reject) => {
			this.#waiting = { resolve, reject, cut, since: performance.now() };
			this.#socket.write(request, () => {
				if (cut === "sent") this.close();
			});
		});
	}

	close(): void {
		this.#socket.destroy();
	}

	#read(bytes: Buffer): void {
		if (this.#waiting === null || this.#waiting.cut !== undefined) return this.close();
		this.#received.push(bytes);
		this.#size += bytes.length;
		if (this.#head === null && !this.#readHead()) return;
		if (this.#size >= this.#wanted) this.#finish();
	}

	#readHead(): boolean {
		const all = this.#joined();
		const end = all.indexOf(HEADERS_END);
		if (end < 0) return false;
		const text = all.toString("latin1", 0, end + 2).toLowerCase();
		const length = headerOf(text, "content-length");
		if (length === undefined) throw new Error(`a reply without content-length cannot be read: ${text}`);
		this.#head = {
			status: Number(text.slice(9, 12)),
			retryAfter: Number(headerOf(text, "retry-after") ?? 0),
			replayed: headerOf(text, "idempotent-replayed") === "true",
			close: headerOf(text, "connection") === "close",
			bodyAt: end + 4,
		};
		this.#wanted = end + 4 + Number(length);
		return true;
	}

	#finish(): void {
		const head = this.#head as Head;
		const waiting = this.#waiting as Waiting;
		const text = this.#joined().toString("utf8", head.bodyAt, this.#wanted);
		this.#waiting = null;
		this.#received = [];
		this.#size = 0;
		this.#head = null;
		if (head.close) this.close();
		else this.#free();
		const { status, retryAfter, replayed } = head;
		waiting.resolve({ status, retryAfter, replayed, body: text === "" ? null : JSON.parse(text) });
	}

	#joined(): Buffer {
		if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)];
		return this.#received[0] ?? Buffer.alloc(0);
	}
}

/** A header's value from the lower-cased head, which ends in CRLF. */
function headerOf(head: string, name: string): string | undefined {
	const at = head.indexOf(`\r\n${name}:`);
	if (at < 0) return undefined;
	return head.slice(at + name.length + 3, head.indexOf("\r\n", at + 2)).trim();
}
