import type { IncomingMessage, ServerResponse } from "node:http";
import type { Addresses } from "./address.ts";
import type { Connections } from "./connections.ts";
import { PROBES } from "./health.ts";
import type { KeylessTurns } from "./keyless-turns.ts";

/** What happens to a request before anything of it is understood. */
export interface DoorDeps {
	readonly addresses: Addresses;
	/** Of the process. */
	readonly connections: Connections;
	/** Of the process. */
	readonly keyless: KeylessTurns;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Lets requests in to `serve`: at once probes, and those on a connection on which a key was let in a short while ago.
 * All others wait for their turn; a connection with one for which there is no room is hung up, for even a refusal costs
 * more than a turn allows.
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
		// nothing more is read of it until this one is answered: what is read must be parsed, whoever sends it
		socket.pause();
		const turn = (): void => {
			if (connections.hears(socket) === "nothing" || response.headersSent) return; // gone, or not valid HTTP further on
			socket.resume();
			serve(request, response);
		};
		// who shows something does not wait behind the others of its address, whatever it is worth
		const line = headers.authorization === undefined ? "" : " key";
		if (!keyless.take(addresses.of(request) + line, turn)) socket.destroy();
	};
}

const isProbe = ({ url = "" }: IncomingMessage): boolean => PROBES.includes(url);
