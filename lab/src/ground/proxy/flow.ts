import type { Socket } from "node:net";

/** Parameters of a slow connection. */
export interface Slow {
	/** Milliseconds before each piece. */
	readonly delayMs: number;
	/** Maximum bytes of a piece. */
	readonly pieceBytes: number;
}

/**
 * One direction of a connection: passes bytes from one socket to the other, in order, with delays, pauses or a cut as
 * ordered.
 */
export class Flow {
	readonly #from: Socket;
	readonly #to: Socket;
	/** Bytes received and not passed on yet, because the flow is silent or slow. */
	#held: Buffer[] = [];
	#silent = false;
	#slow: Slow | null = null;
	#timer: NodeJS.Timeout | null = null;
	/** Bytes until the connection is cut; infinite: no cut. */
	#left = Number.POSITIVE_INFINITY;
	#cut: () => void = () => undefined;
	/** The sender has ended its half or is gone; no more bytes will arrive. */
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

	/** The sender has ended: the receiver gets its end after the last byte, but not while the flow is silent. */
	end(): void {
		this.#over = true;
		this.#pump();
	}

	silence(): void {
		this.#silent = true;
	}

	/** Passes everything immediately again, starting with the held bytes. */
	resume(): void {
		this.#silent = false;
		this.#slow = null;
		this.#pump();
	}

	slow(slow: Slow): void {
		this.#slow = slow;
	}

	/** Calls `cut` after that many more bytes. */
	cutAfter(bytes: number, cut: () => void): void {
		this.#left = bytes;
		this.#cut = cut;
	}

	/** Cancels a cut that has not happened. */
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
