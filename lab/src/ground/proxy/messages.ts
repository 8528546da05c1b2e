/** What the lab and the process that holds its proxies say to each other. */
import type { Slow } from "./flow.ts";

/** `up`: from who connected to the server behind; `down`: back. */
export type Direction = "up" | "down";

/** Cuts of connections at random bytes. */
export interface Cuts {
	readonly seed: number;
	/**
	 * Bytes that a connection passes in one direction before it is cut: a number between these is drawn for each
	 * connection.
	 */
	readonly leastBytes: number;
	readonly mostBytes: number;
}

/** What becomes of connections that were silent, when the silence ends. */
export type AfterSilence =
	/** What was held is passed on, also from a sender that has given up by then: the network was only late. */
	| "late"
	/** Nothing that was held arrives; both ends hear that the connection is gone. */
	| "lost";

export type Order =
	| { readonly kind: "open"; readonly upstream: number }
	| { readonly kind: "upstream"; readonly upstream: number }
	| { readonly kind: "cut"; readonly cuts: Cuts }
	| { readonly kind: "stop-cutting" }
	| { readonly kind: "silence"; readonly directions: readonly Direction[]; readonly newToo: boolean }
	/** Answered when a COMMIT has come; from then on nothing passes, that COMMIT included. */
	| { readonly kind: "silence-at-commit" }
	/** Takes back a `silence-at-commit` that has not happened. */
	| { readonly kind: "forget-commit" }
	| { readonly kind: "slow"; readonly slow: Slow }
	| { readonly kind: "heal"; readonly after: AfterSilence }
	| { readonly kind: "look" };

/** Where a proxy stands. */
export interface ProxyState {
	/** The port it listens on, 127.0.0.1. */
	readonly port: number;
	/** Local ports of its connections to the server behind: the server knows its clients by them. */
	readonly upstreamPorts: readonly number[];
	/** Connections cut so far. */
	readonly cuts: number;
	/** Connections taken so far. */
	readonly connections: number;
	readonly bytes: number;
	/** True when a COMMIT has met a `silence-at-commit`. */
	readonly vanished: boolean;
}

export interface OrderMessage {
	readonly id: number;
	/** Which proxy. */
	readonly proxy: number;
	readonly order: Order;
}

export interface AnswerMessage {
	readonly id: number;
	readonly state?: ProxyState;
	readonly error?: string;
}
