import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** What happens to the next commit that passes. */
export type Leak =
	/** The connection breaks before the server sees the commit and the writes sent with it. */
	| "before the commit arrives"
	/** The server commits; its answer to the commit is lost. */
	| "the answer is lost"
	/** The server commits; that answer and those to the writes before it are lost. */
	| "all answers are lost";

/** A pipe to a PostgreSQL server that breaks at a given point. */
export interface LeakyPipe {
	/** The database's address through the pipe. */
	readonly url: string;
	/** Breaks the next `connections` connections that send COMMIT. */
	leak(how: Leak, connections?: number): void;
	/** Connections broken so far. */
	readonly broken: number;
	close(): Promise<void>;
}

const COMMIT = Buffer.from("commit\0");
/** The server's confirmation that a transaction is durable. */
const COMMITTED = Buffer.from("COMMIT\0");

export async function openLeakyPipe(databaseUrl: string): Promise<LeakyPipe> {
	const real = new URL(databaseUrl.replace("@/", "@127.0.0.1/")); // the address of a Unix socket has no host
	const folder = real.searchParams.get("host");
	const port = Number(real.searchParams.get("port") ?? (real.port || 5432));
	const open = (): Socket => (folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, real.hostname));
	let next: { how: Leak; left: number } | undefined;
	let broken = 0;
	const sockets = new Set<Socket>();
	const server: Server = createServer((client) => {
		const upstream = open();
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on("error", () => undefined); // broken connections are intended
			socket.on("close", () => sockets.delete(socket));
		}
		let leaking: Leak | undefined;
		const snap = (): void => {
			if (client.destroyed) return;
			broken++;
			client.destroy();
			upstream.destroy();
		};
		client.on("data", (chunk) => {
			if (next && next.left > 0 && chunk.includes(COMMIT)) {
				leaking = next.how;
				next.left--;
			}
			if (leaking === "before the commit arrives") snap();
			else upstream.write(chunk);
		});
		upstream.on("data", (chunk) => {
			const done = leaking !== undefined && chunk.includes(COMMITTED);
			if (leaking === "the answer is lost" && done) client.write(chunk.subarray(0, beginningOf(chunk)), snap);
			else if (leaking === "all answers are lost") {
				if (done) snap();
			} else client.write(chunk);
		});
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
		leak: (how, connections = 1) => {
			next = { how, left: connections };
		},
		get broken() {
			return broken;
		},
		close: async () => {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}

/** Offset of the message CommandComplete for COMMIT: one letter and four bytes of length precede the word. */
const beginningOf = (chunk: Buffer): number => Math.max(0, chunk.indexOf(COMMITTED) - 5);
