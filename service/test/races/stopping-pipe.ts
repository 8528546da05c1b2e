import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/*
 * A pipe to a PostgreSQL server that recognises where each statement begins and ends, and stops at a given one, so that
 * a process can be killed at that point. It watches the connections of the engine; all others pass.
 */

/** The point at which a connection stops. */
export interface Stop {
	/** The n-th statement of the engine's connections since `watch`; or the first with this name or text. */
	readonly statement: number | string;
	/** If given, only statements after one with this name count. */
	readonly behind?: string;
	readonly moment: Moment;
}
export type Moment =
	/** The server has not seen the statement. */
	| "before it"
	/** The statement is on its way, whether or not the server has carried it out. */
	| "when it was sent"
	/**
	 * The server has carried it out, in a transaction if there is one; neither its answer nor any later message passes.
	 */
	| "when it was done"
	/** The whole answer to its round trip has passed, and no later message passes. */
	| "when it was answered";

export interface StoppingPipe {
	/** The database's address through the pipe. */
	readonly url: string;
	/** The statements of the engine's connections since `watch`, by name or text, in the order in which they passed. */
	readonly seen: readonly string[];
	/**
	 * Begins to count. `stop`: where to stop, once. Resolves when it has stopped, with the id of that connection's
	 * server process.
	 */
	watch(stop?: Stop): Promise<number>;
	close(): Promise<void>;
}

/** The application name of the engine's connections. */
const ENGINE = "holdfast engine";

/** `application`: the name of the connections that are watched; those of the engine by default. */
export async function openStoppingPipe(databaseUrl: string, application = ENGINE): Promise<StoppingPipe> {
	const real = new URL(databaseUrl.replace("@/", "@127.0.0.1/")); // the address of a Unix socket has no host
	const folder = real.searchParams.get("host");
	const port = Number(real.searchParams.get("port") ?? (real.port || 5432));
	const watched: Watched = { application, seen: [], stop: undefined, reached: () => undefined };
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		const upstream = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, real.hostname);
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on("error", () => undefined); // killed connections are intended
			socket.on("close", () => sockets.delete(socket));
		}
		const line = new Line(watched, client, upstream);
		client.on("data", (chunk) => line.fromClient(chunk));
		upstream.on("data", (chunk) => line.fromServer(chunk));
		client.on("close", () => upstream.destroy());
		upstream.on("close", () => client.destroy());
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = new URL(real);
	url.searchParams.delete("host");
	url.searchParams.delete("port");
	url.port = String((server.address() as { port: number }).port);
	return {
		url: url.href,
		get seen() {
			return watched.seen;
		},
		watch: (stop) => {
			watched.seen = [];
			watched.stop = stop;
			return new Promise((resolve) => {
				watched.reached = resolve;
			});
		},
		close: async () => {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}

interface Watched {
	readonly application: string;
	seen: string[];
	stop: Stop | undefined;
	reached(backend: number): void;
}

/** Bytes of a message's length field, which the length includes. */
const LENGTH_BYTES = 4;
/** The type of a message that asks the server to send its pending answers. */
const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);
const SYNC = "Sync";

/** One connection through the pipe. */
class Line {
	readonly #watched: Watched;
	readonly #client: Socket;
	readonly #upstream: Socket;
	#fromClient: Buffer = Buffer.alloc(0);
	#fromServer: Buffer = Buffer.alloc(0);
	#greeted = false;
	#isWatched = false;
	#still = false;
	#backend = 0;
	/** The statement whose messages are passing now; null: none. */
	#current: string | null = null;
	/** Numbers of statements that were sent and not answered, in order, with the position of each Sync among them. */
	readonly #open: (number | typeof SYNC)[] = [];
	/** The statement at which the connection must stop, once it was sent. */
	#awaited: number | null = null;
	/** Whether nothing more may pass to the server before it has answered. */
	#holdsBack = false;
	/** Statements that the server has completed since it was last ready for a query. */
	#ended: number[] = [];

	constructor(watched: Watched, client: Socket, upstream: Socket) {
		this.#watched = watched;
		this.#client = client;
		this.#upstream = upstream;
	}

	fromClient(chunk: Buffer): void {
		this.#fromClient = Buffer.concat([this.#fromClient, chunk]);
		this.#pass();
	}

	#pass(): void {
		while (!this.#still && !this.#holdsBack) {
			const head = this.#greeted ? 1 : 0;
			if (this.#fromClient.length < head + LENGTH_BYTES) return;
			const size = head + this.#fromClient.readInt32BE(head);
			if (this.#fromClient.length < size) return;
			const message = this.#fromClient.subarray(0, size);
			if (this.#greeted && this.#isWatched && this.#stopsBefore(message)) return;
			this.#fromClient = this.#fromClient.subarray(size);
			this.#upstream.write(message);
			if (!this.#greeted) {
				this.#greeted = true;
				this.#isWatched = message.includes(this.#watched.application);
			} else if (this.#isWatched) this.#noteSent(message);
		}
	}

	/** Records the statement that a message begins. True: the connection stops here. */
	#stopsBefore(message: Buffer): boolean {
		const name = beginningOf(message);
		if (name === null || this.#current !== null) return false;
		const { stop, seen } = this.#watched;
		if (stop?.moment === "before it" && this.#isIt(stop, seen.length, name)) {
			this.#stand();
			return true;
		}
		this.#current = name;
		seen.push(name);
		return false;
	}

	#isIt({ statement, behind }: Stop, number: number, name: string): boolean {
		if (typeof statement === "number") return statement === number;
		return statement === name && (behind === undefined || this.#watched.seen.includes(behind));
	}

	/** Records a statement that was sent completely, with its Execute or as a simple query, and each Sync. */
	#noteSent(message: Buffer): void {
		const type = String.fromCharCode(message[0] ?? 0);
		const name = this.#current;
		if (name !== null && (type === "E" || type === "Q")) {
			this.#current = null;
			const { stop, seen } = this.#watched;
			const number = seen.length - 1;
			this.#open.push(number);
			if (stop !== undefined && this.#isIt(stop, number, name)) {
				if (stop.moment === "when it was sent") return this.#stand();
				this.#awaited = number;
				this.#holdsBack = stop.moment === "when it was done";
				if (type === "E" && this.#holdsBack) this.#upstream.write(FLUSH); // the message that makes the server answer is held back
			}
		}
		if (type !== "S" && type !== "Q") return;
		this.#open.push(SYNC);
		if (this.#awaited !== null) this.#holdsBack = true;
	}

	fromServer(chunk: Buffer): void {
		this.#fromServer = Buffer.concat([this.#fromServer, chunk]);
		while (this.#fromServer.length >= 1 + LENGTH_BYTES && !this.#still) {
			const size = 1 + this.#fromServer.readInt32BE(1);
			if (this.#fromServer.length < size) return;
			const message = this.#fromServer.subarray(0, size);
			const type = String.fromCharCode(message[0] ?? 0);
			if (type === "K") this.#backend = message.readInt32BE(1 + LENGTH_BYTES);
			const moment = this.#watched.stop?.moment;
			const isReady = this.#noteAnswered(type);
			const isIt = this.#awaited !== null && this.#ended.includes(this.#awaited);
			if (isIt && moment === "when it was done") return this.#stand();
			this.#fromServer = this.#fromServer.subarray(size);
			// answers of the statement before its completion are held back with the completion
			if (moment !== "when it was done" || this.#awaited === null || this.#open[0] !== this.#awaited)
				this.#client.write(message);
			if (isReady && isIt) return this.#stand();
			if (isReady) this.#ended = [];
		}
	}

	/**
	 * Records the statements that a message of the server completes: one that was carried out, or one that failed
	 * together with all later ones up to the Sync. True: the server is ready for a query.
	 */
	#noteAnswered(type: string): boolean {
		const sync = this.#open.indexOf(SYNC);
		const left = sync < 0 ? this.#open.length : sync;
		const ends = type === "C" || type === "I" ? Math.min(1, left) : type === "E" ? left : 0;
		this.#ended.push(...this.#open.splice(0, ends).filter((one) => one !== SYNC));
		if (type !== "Z") return false;
		this.#open.splice(0, this.#open.indexOf(SYNC) + 1);
		return true;
	}

	#stand(): void {
		this.#still = true;
		this.#watched.stop = undefined;
		this.#watched.reached(this.#backend);
	}
}

/** The name, or else the text, of the statement that a message begins; null if it begins none. */
function beginningOf(message: Buffer): string | null {
	const type = String.fromCharCode(message[0] ?? 0);
	const texts = message
		.subarray(1 + LENGTH_BYTES)
		.toString("latin1")
		.split("\0");
	if (type === "Q") return texts[0] ?? "";
	if (type === "P") return texts[0] || (texts[1] ?? "");
	return type === "B" ? (texts[1] ?? "") : null;
}
