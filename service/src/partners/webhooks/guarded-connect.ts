import { isIP, type Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { buildConnector } from "undici";
import { asError } from "../../ground/lib/assert.ts";
import { type AllowedNetworks, bareHost, mayPost, reachOf } from "./address-rules.ts";
import type { LookUp } from "./look-up.ts";

/** Maximum number of addresses of one name that are tried, one after the other. */
const MOST_ADDRESSES = 3;

export interface ConnectRules {
	readonly allowed: AllowedNetworks;
	readonly lookUp: LookUp;
	/** Milliseconds to connect, TLS included. */
	readonly withinMs: number;
	/** Additional trusted certificates; tests have their own authority. */
	readonly ca?: SecureContextOptions["ca"];
}

/**
 * The message both for a host without a public address and for a name that does not exist: which names exist in the
 * operator's network is confidential.
 */
export const NO_PUBLIC_ADDRESS = "the host has no public address";

/** No connection was opened: the host has no permitted address. */
export class ForbiddenAddress extends Error {
	override readonly name = "ForbiddenAddress";
}

/** The addresses of a host that a URL of this protocol may be posted to, in the resolver's order. */
export async function permittedAddresses(
	{ allowed, lookUp }: Pick<ConnectRules, "allowed" | "lookUp">,
	protocol: string,
	hostname: string,
): Promise<string[]> {
	const host = bareHost(hostname);
	const addresses = isIP(host) === 0 ? await lookUp(host) : [host];
	return addresses.filter((address) => mayPost(protocol, reachOf(address, allowed)));
}

/**
 * Connects only to permitted addresses. The name is resolved here, and the socket connects to exactly the address that
 * was judged, so a later change of the DNS has no effect. The certificate must match the name.
 */
export function guardedConnect(rules: ConnectRules): buildConnector.connector {
	const connect = buildConnector({
		timeout: rules.withinMs,
		allowH2: false,
		...(rules.ca === undefined ? {} : { ca: rules.ca }),
	});
	return (options, callback) => {
		const { protocol, hostname } = options;
		const host = bareHost(hostname);
		const named = isIP(host) === 0 ? { servername: options.servername || host } : {};
		const { host: _, ...rest } = options;
		const tryNext = ([address, ...others]: readonly string[]): void => {
			if (address === undefined) return callback(new ForbiddenAddress(NO_PUBLIC_ADDRESS), null);
			connect({ ...rest, ...named, hostname: address }, (error, socket) => {
				if (error !== null) return others.length > 0 ? tryNext(others) : callback(error, null);
				// check the connected address as the kernel reports it
				if (mayPost(protocol, reachOf(socket.remoteAddress ?? "", rules.allowed))) {
					boundAnswers(socket);
					return callback(null, socket);
				}
				socket.destroy();
				callback(new ForbiddenAddress("the connection leads to an address that is not public"), null);
			});
		};
		permittedAddresses(rules, protocol, hostname).then(
			(addresses) => tryNext(addresses.slice(0, MOST_ADDRESSES)),
			(error: unknown) => callback(asError(error), null),
		);
	};
}

/**
 * Maximum size of one response on the wire, in bytes: headers, interim responses, chunk framing and trailers
 * included.
 */
const MAX_WIRE_BYTES = 512 * 1024;

/** Destroys a connection whose response exceeds MAX_WIRE_BYTES, because every byte of it must be parsed. */
export function boundAnswers(socket: Socket): void {
	let written = socket.bytesWritten;
	let before = socket.bytesRead;
	let last = before;
	socket.prependListener("readable", () => {
		if (socket.bytesWritten !== written) {
			written = socket.bytesWritten;
			before = last; // another request was sent: its response begins here
		}
		last = socket.bytesRead;
		if (last - before > MAX_WIRE_BYTES) socket.destroy(new Error("the answer is too long"));
	});
}
