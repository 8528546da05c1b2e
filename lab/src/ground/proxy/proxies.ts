import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { killAtLast } from "../last-resort.ts";
import { ended, identify } from "../processes.ts";
import type { AnswerMessage, Order, OrderMessage, ProxyState } from "./messages.ts";

const HOST_FILE = path.join(import.meta.dirname, "host.ts");
/** Milliseconds for the process to close its sockets. */
const STOP_MS = 3_000;

/** The lab's interface to a proxy. */
export interface ProxyControl {
	/** The port it listens on at 127.0.0.1; it never changes. */
	readonly port: number;
	/** Resolves when the order has been carried out. */
	order(order: Exclude<Order, { kind: "open" }>): Promise<ProxyState>;
}

/** The lab's proxies, in a process of their own. */
export interface Proxies {
	open(upstream: number): Promise<ProxyControl>;
	stop(): Promise<void>;
}

export function startProxies(): Proxies {
	const child = fork(HOST_FILE, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
	const host = child.pid === undefined ? null : identify(child.pid);
	const forget = host === null ? () => undefined : killAtLast(host);
	const ask = createAsk(child);
	let opened = 0;
	return {
		open: async (upstream) => {
			const proxy = ++opened;
			const { port } = await ask(proxy, { kind: "open", upstream });
			return { port, order: (order) => ask(proxy, order) };
		},
		stop: async () => {
			if (child.exitCode === null && child.signalCode === null) {
				const gone = once(child, "exit");
				if (child.connected) child.disconnect();
				await Promise.race([gone, host === null ? gone : ended([host], STOP_MS)]);
				child.kill("SIGKILL");
			}
			forget();
		},
	};
}

function createAsk(child: ChildProcess): (proxy: number, order: Order) => Promise<ProxyState> {
	const asked = new Map<number, PromiseWithResolvers<ProxyState>>();
	let last = 0;
	child.on("message", (message) => {
		const { id, state, error } = message as AnswerMessage;
		const waiting = asked.get(id);
		asked.delete(id);
		if (state !== undefined) waiting?.resolve(state);
		else waiting?.reject(new Error(error ?? "the proxies answered nothing"));
	});
	child.once("exit", (code, signal) => {
		for (const waiting of asked.values()) waiting.reject(new Error(`the proxies ended (${signal ?? code})`));
	});
	return (proxy, order) => {
		const id = ++last;
		const waiting = Promise.withResolvers<ProxyState>();
		asked.set(id, waiting);
		child.send({ id, proxy, order } satisfies OrderMessage);
		return waiting.promise;
	};
}
