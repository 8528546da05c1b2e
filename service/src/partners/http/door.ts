import type { IncomingMessage, ServerResponse } from "node:http";
import { PROBES } from "./health.ts";
import type { KeylessTurns } from "./keyless-turns.ts";
import type { GateDeps } from "./walk.ts";

/** Handles a request before any of it is interpreted. */
export interface DoorDeps extends Pick<GateDeps, "addresses" | "connections"> {
	/** Shared by the process. */
	readonly keyless: KeylessTurns;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Passes requests on to `serve`: immediately, if they are probes or come on a connection on which a key was accepted
 * recently. All others wait for their turn; if there is no room, the connection is closed, because even a refusal
 * would cost more than a turn allows.
 */
export function createDoor({ addresses, connections, keyless }: DoorDeps, serve: Serve): Serve {
	return (request, response) => {
		const { socket, headers } = request;
		const heard = connections.hears(socket);
		if (heard === "nothing") return;
		if (isProbe(request)) return serve(request, response);
		if (heard === "probes") {
			socket.destroy();
			return;
		}
		if (connections.isKnown(request)) return serve(request, response);
		// read nothing more until this one is answered, because whatever is read must also be parsed
		socket.pause();
		const turn = (): void => {
			// the caller is gone, or invalid HTTP followed the request and was answered
			if (connections.hears(socket) === "nothing" || response.headersSent) return;
			socket.resume();
			serve(request, response);
		};
		// requests with credentials, valid or not, do not queue behind the others of their address
		const line = headers.authorization === undefined ? "" : " key";
		if (!keyless.take(addresses.of(request) + line, turn)) socket.destroy();
	};
}

const isProbe = ({ url = "" }: IncomingMessage): boolean => PROBES.includes(url);
