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
	/** Has an address of its own: the service listens there, too. */
	readonly hasOwnAddress: boolean;
}

/** Makes the servers of the operator's API. `api`: the server of the partner API. */
export function createOperatorServers(config: Config, options: ServerOptions, api: HttpServer): OperatorServers {
	const hasOwnAddress = config.admin && config.adminPort !== null;
	const own = hasOwnAddress ? createHttpServer(options) : null;
	return { network: config.admin ? (own ?? api) : null, socket: createHttpServer(options), hasOwnAddress };
}

/**
 * Listens on the socket of a data folder. A folder that takes no socket stops the start only where the operator named
 * the socket.
 */
export async function listenForOperators({ socket }: OperatorServers, config: Config, log: Log): Promise<void> {
	const path = config.adminSocket;
	try {
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		if (await socket.listenOnSocket(path)) return;
		log.warn("another process answers on the operator's socket: this one has none", { path });
	} catch (error) {
		if (config.adminSocketGiven) {
			const { message } = error as Error;
			throw error instanceof OperatorError
				? error
				: new OperatorError(`HOLDFAST_ADMIN_SOCKET: cannot listen on ${path}: ${message}.`, { cause: error });
		}
		log.warn("the operator's socket cannot be opened: this node has none", { path, reason: String(error) });
	}
}
