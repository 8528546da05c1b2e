import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MAX_FORM_BYTES } from "./form.ts";

/** Bytes of a body that are not counted: many times the usual body, and more than 100 lines of the usual SKUs need. */
export const UNCOUNTED_BYTES = 16 * 1024;

export interface BodyLimits {
	/** Bytes of counted bodies that one key may have in flight. */
	readonly perKey: number;
	/** Bytes of counted bodies that all keys together may have in flight. */
	readonly inAll: number;
}

const LIMITS: BodyLimits = { perKey: 2 * 1024 * 1024, inAll: 64 * 1024 * 1024 };
/** Limits of forms, which have their own budget: one form of maximum size for each caller, and three in all. */
export const FORM_LIMITS: BodyLimits = { perKey: MAX_FORM_BYTES, inAll: 3 * MAX_FORM_BYTES };

/** The share of the budget that one request's body uses. */
export interface BodyAccount {
	/** Takes `bytes` more; false if the key's limit, or that of all keys together, would be exceeded. */
	take(bytes: number): boolean;
}

/**
 * Bytes of large bodies in flight. A body occupies memory, and counts, from its announcement until its request is
 * answered or its connection ends. So no key can fill the memory or make the service read many large bodies at the
 * same time.
 */
export class BodyBudget {
	readonly #limits: BodyLimits;
	readonly #byKey = new Map<string, number>();
	/** What closes the open accounts of a connection, which share one listener, however many requests are pipelined. */
	readonly #bySocket = new Map<Socket, Set<() => void>>();
	#inAll = 0;

	constructor(limits: BodyLimits = LIMITS) {
		this.#limits = limits;
	}

	/** Bytes of counted bodies in flight. */
	get inFlight(): number {
		return this.#inAll;
	}

	/** Opens the account of a body sent by `key`; it is closed with the reply or the connection. */
	open(key: string, response: ServerResponse): BodyAccount {
		const open = this.#openOn(response.req.socket);
		let taken = 0;
		let isOpen = true;
		const close = (): void => {
			this.#give(key, taken);
			taken = 0;
			isOpen = false;
			open.delete(close);
		};
		response.once("close", close);
		open.add(close);
		return {
			take: (bytes) => {
				if (!isOpen || !this.#take(key, bytes)) return false;
				taken += bytes;
				return true;
			},
		};
	}

	#openOn(socket: Socket): Set<() => void> {
		const known = this.#bySocket.get(socket);
		if (known !== undefined) return known;
		const open = new Set<() => void>();
		this.#bySocket.set(socket, open);
		// a reply queued behind another gets no event when the connection ends
		socket.once("close", () => {
			for (const close of open) close();
			this.#bySocket.delete(socket);
		});
		return open;
	}

	#take(key: string, bytes: number): boolean {
		const taken = this.#byKey.get(key) ?? 0;
		if (taken + bytes > this.#limits.perKey || this.#inAll + bytes > this.#limits.inAll) return false;
		this.#byKey.set(key, taken + bytes);
		this.#inAll += bytes;
		return true;
	}

	#give(key: string, bytes: number): void {
		if (bytes === 0) return;
		this.#inAll -= bytes;
		const left = (this.#byKey.get(key) ?? 0) - bytes;
		if (left > 0) this.#byKey.set(key, left);
		else this.#byKey.delete(key);
	}
}
