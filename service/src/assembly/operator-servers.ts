import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Config } from "../config.ts";
import type { Log } from "../ground/lib/log.ts";
import { OperatorError } from "../ground/lib/operator-error.ts";
import type { HttpServer } from "../partners/http/mount.ts";
import { createHttpServer, type ServerOptions } from "../partners/http/server.ts";

/** Where operators reach their API. */
export interface OperatorServers {
	/** Its address on the network, which may be that of the partner API; null: HOLDFAST_ADMIN is off. */
	readonly network: HttpServer | null;
	/** The Unix socket. */
	readonly socket: HttpServer;
	/** The server of a separate address, on which the service must listen; null: there is none. */
	readonly own: HttpServer | null;
}

/** Creates the servers of the operator's API. `api`: the server of the partner API. */
export function createOperatorServers(config: Config, options: ServerOptions, api: HttpServer): OperatorServers {
	const own = config.admin && config.adminPort !== null ? createHttpServer(options) : null;
	return { network: config.admin ? (own ?? api) : null, socket: createHttpServer(options), own };
}

/** Listens on a port. A failure names the variable that sets it. */
type Listen = (variable: string, host: string, port: number, open: HttpServer["listen"]) => Promise<string>;

/**
 * Listens on the separate address, if there is one, and on the socket. Returns the separate address. If the socket
 * cannot be created, the start fails only if the operator set its path (HOLDFAST_ADMIN_SOCKET); otherwise this is
 * logged, and the node has no socket.
 */
export async function listenForOperators(
	{ socket, own }: OperatorServers,
	config: Config,
	listen: Listen,
	log: Log,
): Promise<string | null> {
	const { adminHost, host, adminPort } = config;
	const bound =
		own === null ? null : await listen("HOLDFAST_ADMIN_PORT", adminHost ?? host, adminPort ?? 0, own.listen);
	await listenLocally(socket, config, log);
	return bound;
}

async function listenLocally(socket: HttpServer, config: Config, log: Log): Promise<void> {
	const { adminSocket: path } = config;
	try {
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		if (await socket.listenOnSocket(path)) return;
		log.warn("another process listens on the operator's socket, so this node does not serve it", { path });
	} catch (error) {
		if (!config.adminSocketGiven) {
			log.warn("the operator's socket cannot be opened, so this node does not serve it", {
				path,
				reason: String(error),
			});
			return;
		}
		if (error instanceof OperatorError) throw error;
		const { message } = error as Error;
		throw new OperatorError(`HOLDFAST_ADMIN_SOCKET: cannot listen on ${path}: ${message}.`, { cause: error });
	}
}
