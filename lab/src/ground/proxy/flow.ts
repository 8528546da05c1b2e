import type { Socket } from "node:net";

/** How a slow connection passes bytes on. */
export interface Slow {
	/** Milliseconds before each piece. */
	readonly delayMs: number;
	/** Bytes of a piece at most. */
	readonly pieceBytes: number;
}

/** One direction of a connection: what comes from one socket goes to the other, in order, as the weather allows. */
export class Flow {
	readonly #from: Socket;
	readonly #to: Socket;
	/** What came and was not passed on yet, because the flow is silent or slow. */
	#held: Buffer[] = [];
	#silent = false;
	#slow: Slow | null = null;
	#timer: NodeJS.Timeout | null = null;
	/** Bytes until the connection is cut; infinite: it is not. */
	#left = Number.POSITIVE_INFINITY;
	#cut: () => void = () => undefined;
	/** Nothing more comes: the sender has ended its half, or is gone. */
	#over = false;
	passed = 0;

	constructor(from: Socket, to: Socket) {
		this.#from = from;
		this.#to = to;
	}

	take(chunk: Buffer): void {
		if (this.#silent || this.#slow !== null || this.#held.length > 0) {
			this.#held.push(chunk);
			this.#pump();
		} else this.#pass(chunk);
	}

	/** The sender has ended: the receiver learns it after the last byte, and while the flow is silent not at all. */
	end(): void {
		this.#over = true;
		this.#pump();
	}

	silence(): void {
		this.#silent = true;
	}

	/** Passes everything again at once, beginning with what was held. */
	resume(): void {
		this.#silent = false;
		this.#slow = null;
		this.#pump();
	}

	slow(slow: Slow): void {
		this.#slow = slow;
	}

	/** Calls `cut` when so many more bytes have been passed. */
	cutAfter(bytes: number, cut: () => void): void {
		this.#left = bytes;
		this.#cut = cut;
	}

	/** Takes back a cut that did not happen. */
	spare(): void {
		this.#left = Number.POSITIVE_INFINITY;
	}

	get silent(): boolean {
		return this.#silent;
	}

	#pump(): void {
		if (this.#silent || this.#timer !== null) return;
		if (this.#slow !== null && this.#held.length > 0) {
			this.#timer = setTimeout(() => {
				this.#timer = null;
				this.#passPiece();
				this.#pump();
			}, this.#slow.delayMs);
			return;
		}
		for (const chunk of this.#held.splice(0)) this.#pass(chunk);
		if (this.#over && this.#to.writable) this.#to.end();
	}

	#passPiece(): void {
		const chunk = this.#silent ? undefined : this.#held.shift();
		if (chunk === undefined) return;
		const bytes = this.#slow?.pieceBytes ?? chunk.length;
		if (chunk.length > bytes) this.#held.unshift(chunk.subarray(bytes));
		this.#pass(chunk.subarray(0, bytes));
	}

	#pass(chunk: Buffer): void {
		if (!this.#to.writable) return;
		if (chunk.length >= this.#left) {
			const cut = this.#cut;
			this.#to.write(chunk.subarray(0, this.#left), cut);
			this.#left = 0;
			this.#cut = () => undefined;
			return;
		}
		this.#left -= chunk.length;
		this.passed += chunk.length;
		if (!this.#to.write(chunk)) {
			this.#from.pause();
			this.#to.once("drain", () => this.#from.resume());
		}
	}
}
