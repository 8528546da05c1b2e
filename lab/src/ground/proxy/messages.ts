/** Messages between the lab and the process of its proxies. */
import type { Slow } from "./flow.ts";

/** `up`: from the client to the server behind the proxy; `down`: back. */
export type Direction = "up" | "down";

/** Cuts connections at random bytes. */
export interface Cuts {
	readonly seed: number;
	/** Range from which each connection draws the number of bytes it passes in one direction before the cut. */
	readonly leastBytes: number;
	readonly mostBytes: number;
}

/** What happens to silent connections when the silence ends. */
export type AfterSilence =
	/** Held bytes are passed on, even if their sender has given up: the network was only late. */
	| "late"
	/** Held bytes are dropped, and both ends see the connection fail. */
	| "lost";

export type Order =
	| { readonly kind: "open"; readonly upstream: number }
	| { readonly kind: "upstream"; readonly upstream: number }
	| { readonly kind: "cut"; readonly cuts: Cuts }
	| { readonly kind: "stop-cutting" }
	| { readonly kind: "silence"; readonly directions: readonly Direction[]; readonly newToo: boolean }
	/** Answered when a COMMIT has arrived; from then on nothing passes, including that COMMIT. */
	| { readonly kind: "silence-at-commit" }
	/** Cancels a `silence-at-commit` that has not happened. */
	| { readonly kind: "forget-commit" }
	| { readonly kind: "slow"; readonly slow: Slow }
	| { readonly kind: "heal"; readonly after: AfterSilence }
	| { readonly kind: "look" };

/** The state of a proxy. */
export interface ProxyState {
	/** The port it listens on at 127.0.0.1. */
	readonly port: number;
	/** Local ports of its connections to the server, by which the server can identify clients. */
	readonly upstreamPorts: readonly number[];
	/** Connections cut so far. */
	readonly cuts: number;
	/** Connections accepted so far. */
	readonly connections: number;
	readonly bytes: number;
	/** True when a `silence-at-commit` has caught a COMMIT. */
	readonly vanished: boolean;
}

export interface OrderMessage {
	readonly id: number;
	/** Index of the proxy. */
	readonly proxy: number;
	readonly order: Order;
}

export interface AnswerMessage {
	readonly id: number;
	readonly state?: ProxyState;
	readonly error?: string;
}
