import net from "node:net";

/** Maximum bytes read from the socket at once. */
const READ_BUFFER_BYTES = 64 * 1024;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
/** Offset of the status in `HTTP/1.1 200`. */
const STATUS_OFFSET = 9;
const ZERO = 48;

/**
 * A keep-alive HTTP connection that sends prepared bytes and reads only the status and Content-Length of a reply, to
 * know where it ends. It does nothing else, because the generator shares its cores with what it measures.
 */
export class Connection {
	#socket: net.Socket | undefined;
	#head = "";
	/** Bytes of the current reply's body still to come; -1 while waiting for its head. */
	#bodyLeft = -1;
	#status = 0;
	readonly #target: { host: string; port: number };
	readonly #onReply: (status: number) => void;
	readonly #onBroken: () => void;

	constructor(target: { host: string; port: number }, onReply: (status: number) => void, onBroken: () => void) {
		this.#target = target;
		this.#onReply = onReply;
		this.#onBroken = onBroken;
	}

	open(): Promise<void> {
		return new Promise((resolve, reject) => {
			const buffer = Buffer.allocUnsafe(READ_BUFFER_BYTES);
			const socket = net.connect({
				...this.#target,
				noDelay: true,
				onread: { buffer, callback: (length) => this.#read(buffer, length) },
			});
			socket.once("connect", resolve);
			socket.on("error", reject); // after connecting, the promise is settled and `close` handles it
			socket.on("close", () => {
				if (this.#socket === socket) this.#onBroken();
			});
			this.#socket = socket;
			this.#bodyLeft = -1;
			this.#head = "";
		});
	}

	send(bytes: Buffer): void {
		this.#socket?.write(bytes);
	}

	close(): void {
		const socket = this.#socket;
		this.#socket = undefined;
		socket?.destroy();
	}

	#read(buffer: Buffer, length: number): boolean {
		let at = 0;
		if (this.#bodyLeft < 0) {
			const end = this.#head === "" ? buffer.subarray(0, length).indexOf(END_OF_HEAD) : -1;
			if (end >= 0) {
				this.#begin(buffer.toString("latin1", 0, end + 2));
				at = end + END_OF_HEAD.length;
			} else {
				at = this.#beginFromPieces(buffer.toString("latin1", 0, length), length);
				if (at < 0) return true;
			}
		}
		this.#bodyLeft -= length - at;
		if (this.#bodyLeft <= 0) {
			this.#bodyLeft = -1;
			this.#onReply(this.#status);
		}
		return true;
	}

	/**
	 * Handles a head that came in several pieces (rare): returns where the body begins in the last one, or -1 if the
	 * head is incomplete.
	 */
	#beginFromPieces(piece: string, length: number): number {
		this.#head += piece;
		const end = this.#head.indexOf("\r\n\r\n");
		if (end < 0) return -1;
		const at = length - (this.#head.length - end - END_OF_HEAD.length);
		this.#begin(this.#head.slice(0, end + 2));
		this.#head = "";
		return at;
	}

	#begin(head: string): void {
		this.#status =
			(head.charCodeAt(STATUS_OFFSET) - ZERO) * 100 +
			(head.charCodeAt(STATUS_OFFSET + 1) - ZERO) * 10 +
			(head.charCodeAt(STATUS_OFFSET + 2) - ZERO);
		this.#bodyLeft = contentLength(head);
	}
}

function contentLength(head: string): number {
	let at = head.indexOf("\r\ncontent-length: ");
	if (at < 0) at = head.indexOf("\r\nContent-Length: ");
	if (at < 0) throw new Error(`a reply without Content-Length: ${head}`);
	return Number.parseInt(head.slice(at + 18), 10);
}
