import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type Chance, createChance } from "../../chance.ts";
import { Flow, type Slow } from "./flow.ts";
import type { AfterSilence, Cuts, Direction, ProxyState } from "./messages.ts";

const HOST = "127.0.0.1";
/** The text that ends a transaction, as PostgreSQL clients send it. */
const COMMIT = /\bcommit\0/i;

/** A connection through the proxy. */
interface Link {
	readonly client: Socket;
	readonly upstream: Socket;
	readonly flows: Record<Direction, Flow>;
}

/** A TCP proxy whose faults can be changed while connections are open. */
export class Proxy {
	readonly #server: Server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#take(client));
	readonly #links = new Set<Link>();
	/** Connections accepted while new ones are silent: open for the client, unknown to the server. */
	readonly #waiting = new Set<Socket>();
	#upstream: number;
	#bytes = 0;
	#connections = 0;
	#cutSoFar = 0;
	#cutting: { readonly cuts: Cuts; readonly chance: Chance } | null = null;
	#newSilent = false;
	#slow: Slow | null = null;
	/** Resolves when a COMMIT comes. */
	#awaited: PromiseWithResolvers<void> | null = null;
	#vanished = false;

	constructor(upstream: number) {
		this.#upstream = upstream;
	}

	async listen(): Promise<void> {
		this.#server.listen(0, HOST);
		await once(this.#server, "listening");
	}

	get state(): ProxyState {
		const links = [...this.#links];
		return {
			port: (this.#server.address() as { port: number }).port,
			upstreamPorts: links.flatMap(({ upstream }) => upstream.localPort ?? []),
			cuts: this.#cutSoFar,
			connections: this.#connections,
			bytes: links.reduce((sum, { flows }) => sum + flows.up.passed + flows.down.passed, this.#bytes),
			vanished: this.#vanished,
		};
	}

	/** Connects new connections to this port from now on. */
	switchTo(upstream: number): void {
		this.#upstream = upstream;
	}

	/** Cuts every open and every new connection once, after a number of bytes drawn for each. */
	cut(cuts: Cuts): void {
		this.#cutting = { cuts, chance: createChance(cuts.seed) };
		for (const link of this.#links) this.#limit(link);
	}

	stopCutting(): void {
		this.#cutting = null;
		for (const { flows } of this.#links) for (const flow of Object.values(flows)) flow.spare();
	}

	silence(directions: readonly Direction[], newToo: boolean): void {
		for (const { flows } of this.#links) for (const direction of directions) flows[direction].silence();
		this.#newSilent = newToo;
	}

	/**
	 * From the next COMMIT on nothing passes, on new connections either, as if the client's host had gone. Resolves
	 * then, or when the order is cancelled.
	 */
	async silenceAtCommit(): Promise<void> {
		this.#vanished = false;
		this.#awaited = Promise.withResolvers<void>();
		await this.#awaited.promise;
	}

	forgetCommit(): void {
		this.#awaited?.resolve();
		this.#awaited = null;
	}

	#vanish(): void {
		this.#vanished = true;
		this.silence(["up", "down"], true);
		this.forgetCommit();
	}

	slowDown(slow: Slow): void {
		this.#slow = slow;
		for (const { flows } of this.#links) for (const flow of Object.values(flows)) flow.slow(slow);
	}

	heal(after: AfterSilence): void {
		this.#newSilent = false;
		this.#slow = null;
		for (const link of this.#links) {
			if (after === "lost" && (link.flows.up.silent || link.flows.down.silent)) this.#reset(link);
			for (const flow of Object.values(link.flows)) flow.resume();
		}
		for (const client of this.#waiting) {
			if (after === "lost" || client.destroyed) client.resetAndDestroy();
			else this.#join(client);
		}
		this.#waiting.clear();
	}

	close(): void {
		this.#server.close();
		for (const client of this.#waiting) client.destroy();
		for (const { client, upstream } of this.#links) for (const socket of [client, upstream]) socket.destroy();
	}

	#take(client: Socket): void {
		this.#connections++;
		client.on("error", () => undefined); // "close" follows
		if (!this.#newSilent) return this.#join(client);
		client.pause();
		this.#waiting.add(client);
	}

	#join(client: Socket): void {
		const upstream = connect({ port: this.#upstream, host: HOST, allowHalfOpen: true, noDelay: true });
		const link: Link = {
			client,
			upstream,
			flows: { up: new Flow(client, upstream), down: new Flow(upstream, client) },
		};
		this.#links.add(link);
		upstream.on("error", () => undefined); // "close" follows
		client.on("data", (chunk: Buffer) => {
			if (this.#awaited !== null && COMMIT.test(chunk.toString("latin1"))) this.#vanish();
			link.flows.up.take(chunk);
		});
		upstream.on("data", (chunk: Buffer) => link.flows.down.take(chunk));
		client.on("end", () => link.flows.up.end());
		upstream.on("end", () => link.flows.down.end());
		for (const [socket, flow] of [
			[client, link.flows.up],
			[upstream, link.flows.down],
		] as const) {
			socket.on("close", (failed) => {
				flow.end();
				// in a silent connection neither end learns that the other has gone
				if (failed && !link.flows.up.silent && !link.flows.down.silent) this.#reset(link);
				if (client.closed && upstream.closed) this.#drop(link);
			});
		}
		if (this.#slow !== null) for (const flow of Object.values(link.flows)) flow.slow(this.#slow);
		if (this.#cutting !== null) this.#limit(link);
		client.resume();
	}

	#limit(link: Link): void {
		if (this.#cutting === null) return;
		const { cuts, chance } = this.#cutting;
		const flow = link.flows[chance.pick<Direction>(["up", "down"])];
		const polite = chance.happens(0.5); // an end, or a reset
		flow.cutAfter(chance.between(cuts.leastBytes, cuts.mostBytes), () => {
			this.#cutSoFar++;
			if (!polite) return this.#reset(link);
			link.client.destroy();
			link.upstream.destroy();
		});
	}

	#reset(link: Link): void {
		link.client.resetAndDestroy();
		link.upstream.resetAndDestroy();
	}

	#drop(link: Link): void {
		if (!this.#links.delete(link)) return;
		this.#bytes += link.flows.up.passed + link.flows.down.passed;
	}
}
