import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/*
 * A pipe to a PostgreSQL server that knows where one statement ends and the next begins, and stands still at the one it
 * is told: then whoever is to be killed there can be killed there. It watches the connections of the engine; all others
 * pass.
 */

/** Where a connection stands still. */
export interface Stop {
	/**
	 * The n-th statement of the engine's connections, counted from when the pipe was told; or the first of this name or
	 * text.
	 */
	readonly statement: number | string;
	/** Of statements by name only those count that pass behind one of this name. */
	readonly behind?: string;
	readonly moment: Moment;
}
export type Moment =
	/** The server has not seen the statement. */
	| "before it"
	/** The statement is on its way, and nobody waited for what the server does with it. */
	| "when it was sent"
	/**
	 * The server has carried it out, in a transaction if there is one; neither its answer nor what comes behind it
	 * passes.
	 */
	| "when it was done"
	/** The answer to its round trip passed whole, and nothing comes behind it. */
	| "when it was answered";

export interface StoppingPipe {
	/** The database's address through the pipe. */
	readonly url: string;
	/**
	 * The statements of the engine's connections since `watch`, by name or by text, in the order in which they passed.
	 */
	readonly seen: readonly string[];
	/**
	 * Begins to count. `stop`: where to stand still, once. Resolves with the server's process behind that connection
	 * when it does.
	 */
	watch(stop?: Stop): Promise<number>;
	close(): Promise<void>;
}

/** The name under which the engine's connections are opened. */
const ENGINE = "holdfast engine";

export async function openStoppingPipe(databaseUrl: string): Promise<StoppingPipe> {
	const real = new URL(databaseUrl.replace("@/", "@127.0.0.1/")); // a socket's address names no host
	const folder = real.searchParams.get("host");
	const port = Number(real.searchParams.get("port") ?? (real.port || 5432));
	const watched: Watched = { seen: [], stop: undefined, reached: () => undefined };
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		const upstream = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, real.hostname);
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on("error", () => undefined); // being killed is what it is for
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
	seen: string[];
	stop: Stop | undefined;
	reached(backend: number): void;
}

/** Bytes of a message's length, which counts itself. */
const LENGTH_BYTES = 4;
/** Asks the server to send what it has to answer. */
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
	#isEngine = false;
	#still = false;
	#backend = 0;
	/** The statement whose messages pass at the moment; null: between two. */
	#current: string | null = null;
	/** Numbers of statements that were sent and not answered, in order, and where each Sync stands among them. */
	readonly #open: (number | typeof SYNC)[] = [];
	/** The statement where the connection is to stand still, once it was sent. */
	#awaited: number | null = null;
	/** Does nothing more pass to the server before it has answered? */
	#holdsBack = false;
	/** Statements that the server has ended since it was last ready for more. */
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
			if (this.#greeted && this.#isEngine && this.#stopsBefore(message)) return;
			this.#fromClient = this.#fromClient.subarray(size);
			this.#upstream.write(message);
			if (!this.#greeted) {
				this.#greeted = true;
				this.#isEngine = message.includes(ENGINE);
			} else if (this.#isEngine) this.#noteSent(message);
		}
	}

	/** Notes the statement that a message begins. True: here the connection stands still. */
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

	/** Notes a statement that was sent whole, with its Execute or as a simple query, and each Sync. */
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
				if (type === "E" && this.#holdsBack) this.#upstream.write(FLUSH); // what makes the server answer is held back
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
			// what the statement answers before its end is held back with the end
			if (moment !== "when it was done" || this.#awaited === null || this.#open[0] !== this.#awaited)
				this.#client.write(message);
			if (isReady && isIt) return this.#stand();
			if (isReady) this.#ended = [];
		}
	}

	/**
	 * Notes the statements that a message of the server ends: one that was carried out, or one that failed with all
	 * behind it up to the Sync. True: it is ready for more.
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

/** The name, or else the text, of the statement that a message begins; null: it begins none. */
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
