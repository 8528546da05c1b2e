import { connect, type Socket } from "node:net";

/** A reply as it came over the wire. */
export interface WireReply {
	readonly status: number;
	/** Lower-case names; the values of a repeated name are joined by a comma. */
	readonly headers: Readonly<Record<string, string>>;
	readonly text: string;
}

/**
 * Milliseconds after which a missing reply is a failure. The service gives up on a request that never arrives after 30
 * s.
 */
const PATIENCE_MS = 45_000;

/** Milliseconds of silence after which a request that may be incomplete is ended. No result depends on the value. */
const QUIET_MS = 50;

/** One connection at a time to the service, reopened after it was closed. Bytes are sent unchanged. */
export class Wire {
	readonly #port: number;
	#socket: Socket | null = null;
	#received: Buffer = Buffer.alloc(0);
	#wake: () => void = () => undefined;
	#closed = true;

	constructor(port: number) {
		this.#port = port;
	}

	/**
	 * Sends a request whose length is right, and reads its reply. The server may close the connection after the reply,
	 * but not instead of it.
	 */
	async ask(bytes: Buffer, method: string): Promise<WireReply> {
		for (let attempt = 0; ; attempt++) {
			const kept = !this.#closed;
			await this.#open();
			this.#send(bytes);
			const reply = await this.#read(method);
			if (reply !== null) {
				if (reply.headers.connection === "close") this.close();
				return reply;
			}
			this.close();
			// a kept connection may have been closed by the other side just as we wrote
			if (!kept || attempt > 0) throw new Error("the service hung up without a word");
		}
	}

	/**
	 * Sends bytes that may not be a request at all, and reads everything until the other side closes the connection. If
	 * nothing comes for a while, our side of the connection is ended, so that the service need not wait for the rest.
	 */
	async askRudely(bytes: Buffer, method: string): Promise<WireReply[]> {
		this.close();
		await this.#open();
		this.#send(bytes);
		const replies: WireReply[] = [];
		for (;;) {
			const quiet = setTimeout(() => this.#socket?.end(), QUIET_MS);
			const reply = await this.#read(method).finally(() => clearTimeout(quiet));
			if (reply === null) break;
			replies.push(reply);
		}
		this.close();
		return replies;
	}

	/** Sends bytes, and reads `count` replies, or fewer if the other side closes the connection. */
	async askMany(bytes: Buffer, count: number): Promise<WireReply[]> {
		this.close();
		await this.#open();
		this.#send(bytes);
		const replies: WireReply[] = [];
		while (replies.length < count) {
			const reply = await this.#read("POST");
			if (reply === null) break;
			replies.push(reply);
		}
		this.close();
		return replies;
	}

	/** Sends bytes and ends our side at once, as a killed client does. Returns whatever was answered. */
	async breakOff(bytes: Buffer): Promise<WireReply[]> {
		this.close();
		await this.#open();
		this.#send(bytes);
		this.#socket?.end();
		const replies: WireReply[] = [];
		for (let reply = await this.#read("POST"); reply !== null; reply = await this.#read("POST")) replies.push(reply);
		this.close();
		return replies;
	}

	close(): void {
		this.#socket?.destroy();
		this.#socket = null;
		this.#closed = true;
		this.#received = Buffer.alloc(0);
	}

	async #open(): Promise<void> {
		if (!this.#closed) return;
		this.close();
		const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
		this.#socket = socket;
		this.#closed = false;
		const over = (): void => {
			if (this.#socket !== socket) return;
			this.#closed = true;
			this.#wake();
		};
		socket.on("error", over); // the connection was reset while we wrote: bytes received before still count
		socket.on("end", over);
		socket.on("close", over);
		socket.on("data", (chunk: Buffer) => {
			this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
			this.#wake();
		});
		await new Promise<void>((resolve) => {
			socket.once("connect", resolve);
			socket.once("error", () => resolve());
		});
	}

	#send(bytes: Buffer): void {
		this.#socket?.write(bytes);
	}

	/** The next reply, or null if the connection ended before it began. An incomplete reply is an error. */
	async #read(method: string): Promise<WireReply | null> {
		const giveUp = setTimeout(() => {
			this.#socket?.destroy(new Error("no reply"));
		}, PATIENCE_MS);
		try {
			for (;;) {
				const taken = takeReply(this.#received, method);
				if (taken !== null) {
					this.#received = taken.rest;
					if (taken.reply.status >= 200) return taken.reply;
					continue;
				}
				if (this.#closed) {
					if (this.#received.length > 0)
						throw new Error(`a reply was broken off: ${this.#received.toString("latin1", 0, 300)}`);
					return null;
				}
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
			}
		} finally {
			clearTimeout(giveUp);
		}
	}
}

const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from("\r\n\r\n");

function takeReply(bytes: Buffer, method: string): { reply: WireReply; rest: Buffer } | null {
	const end = bytes.indexOf(HEAD_END);
	if (end < 0) return null;
	const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
	const status = Number(/^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(first)?.[1]);
	if (Number.isNaN(status)) throw new Error(`not a reply: ${first.slice(0, 200)}`);
	const headers: Record<string, string> = {};
	for (const line of lines) {
		const colon = line.indexOf(":");
		const name = line.slice(0, colon).toLowerCase();
		const value = line.slice(colon + 1).trim();
		headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
	}
	const bodyless = method === "HEAD" || status === 304 || status < 200;
	const length = bodyless ? 0 : Number(headers["content-length"]);
	if (!Number.isInteger(length)) throw new Error(`a reply without its length: ${first}`);
	const from = end + HEAD_END.length;
	if (bytes.length < from + length) return null;
	const text = bytes.toString("utf8", from, from + length);
	// bytes after the last reply of a connection do not count: unreadable input, perhaps a HEAD, is answered with a
	// body
	const rest = headers.connection === "close" ? NOTHING : bytes.subarray(from + length);
	return { reply: { status, headers, text }, rest };
}
