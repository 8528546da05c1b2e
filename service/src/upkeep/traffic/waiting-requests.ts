import type { KeptRequest } from "./kept-request.ts";
import { CHUNK_SPAN_MS, MOST_WAITING, MOST_WAITING_CHARACTERS, SHARE_OF_ONE } from "./limits.ts";

/** What the requests of a chunk have in common. */
export interface ChunkOf {
	readonly operation: string;
	readonly status: number;
	readonly code: string | undefined;
}

/** Requests with one key, operation, status and code, which are stored in one row. */
export interface Chunk extends ChunkOf {
	readonly sandbox: boolean;
	readonly keyId: string | null;
	/** Epoch milliseconds; on the same day (UTC), at most CHUNK_SPAN_MS apart. */
	firstAt: number;
	lastAt: number;
	/** Each request as a JSON object. */
	readonly requests: string[];
}

/** Chunks that are written in one transaction. */
export interface Batch {
	readonly chunks: readonly Chunk[];
	readonly size: number;
}

const DAY_MS = 86_400_000;
const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** The requests of one key that wait. */
interface Owner {
	requests: number;
	characters: number;
	/** The chunks that further requests may join, by what they have in common. */
	readonly open: Map<string, Chunk>;
}

/**
 * Requests that wait to be written, as chunks. There are never more than the limits allow: a request that finds no room
 * is dropped, and so is one whose key already has its share, so that a flood from one caller displaces no other
 * caller's requests.
 */
export class WaitingRequests {
	#owners = new Map<string | null, Owner>();
	#chunks: Chunk[] = [];
	#size = 0;
	#characters = 0;

	get size(): number {
		return this.#size;
	}

	/** Returns whether there was room. All requests without a key share one owner. */
	add({ sandbox, keyId, at, json }: KeptRequest, common: ChunkOf): boolean {
		let owner = this.#owners.get(keyId);
		if (owner === undefined) {
			owner = { requests: 0, characters: 0, open: new Map() };
			this.#owners.set(keyId, owner);
		}
		const { length } = json;
		if (this.#size >= MOST_WAITING || this.#characters + length > MOST_WAITING_CHARACTERS) return false;
		if (owner.requests >= MOST_WAITING * SHARE_OF_ONE) return false;
		if (owner.characters + length > MOST_WAITING_CHARACTERS * SHARE_OF_ONE) return false;
		owner.requests++;
		owner.characters += length;
		this.#size++;
		this.#characters += length;
		const name = `${common.operation} ${common.status} ${common.code}`;
		let chunk = owner.open.get(name);
		if (chunk === undefined || !fits(chunk, at)) {
			chunk = { ...common, sandbox, keyId, firstAt: at, lastAt: at, requests: [] };
			owner.open.set(name, chunk);
			this.#chunks.push(chunk);
		}
		if (at < chunk.firstAt) chunk.firstAt = at;
		if (at > chunk.lastAt) chunk.lastAt = at;
		chunk.requests.push(json);
		return true;
	}

	/** Takes everything that waits. */
	take(): Batch {
		const batch = { chunks: this.#chunks, size: this.#size };
		this.#owners = new Map();
		this.#chunks = [];
		this.#size = 0;
		this.#characters = 0;
		return batch;
	}
}

const fits = ({ firstAt, lastAt }: Chunk, at: number): boolean =>
	Math.max(lastAt, at) - Math.min(firstAt, at) <= CHUNK_SPAN_MS && dayOf(at) === dayOf(firstAt);
