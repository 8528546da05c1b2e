import { connect, createServer, type Socket } from "node:net";

/** A pipe to a PostgreSQL server that can fall silent: then it passes nothing and closes nothing. */
export interface Silencer {
	/** The database's address through the pipe. */
	readonly url: string;
	/** Silences the present connections; new ones work. */
	silence(): void;
	/** Silences this number of future connections. */
	silenceNext(count: number): void;
	close(): Promise<void>;
}

export async function openSilencer(databaseUrl: string): Promise<Silencer> {
	const real = new URL(databaseUrl.replace("@/", "@127.0.0.1/")); // the address of a Unix socket has no host
	const folder = real.searchParams.get("host");
	const port = Number(real.searchParams.get("port") ?? (real.port || 5432));
	const sockets = new Set<Socket>();
	let silenced = new Set<Socket>();
	let toSilence = 0;
	const server = createServer((client) => {
		const upstream = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, real.hostname);
		const silent = toSilence > 0;
		if (silent) toSilence--;
		for (const [from, to] of [
			[client, upstream],
			[upstream, client],
		] as const) {
			sockets.add(from);
			if (silent) silenced.add(from);
			from.on("error", () => undefined); // the side that gives up destroys it
			from.on("close", () => sockets.delete(from));
			from.on("data", (chunk) => {
				if (!silenced.has(from)) to.write(chunk);
			});
		}
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = new URL(real);
	url.search = "";
	url.port = String((server.address() as { port: number }).port);
	return {
		url: url.href,
		silence: () => {
			silenced = new Set(sockets);
		},
		silenceNext: (count) => {
			toSilence = count;
		},
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
