import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4 } from "node:net";

/** Determines a request's address: the connection's, or behind a trusted proxy the one that the proxy names. */
export interface Addresses {
	/** Whether this is the address of a trusted proxy. */
	trusted(address: string): boolean;
	/** A request's address, in its counted form. */
	of(request: IncomingMessage): string;
}

/**
 * `proxies`: CIDRs from HOLDFAST_TRUSTED_PROXIES. A request from one of them counts for the last address of its
 * X-Forwarded-For that is not such a proxy, because the caller can write everything left of it. If that is not an
 * address, the connection's own counts.
 */
export function createAddresses(proxies: readonly string[] = []): Addresses {
	const list = new BlockList();
	for (const cidr of proxies) {
		const [network = "", bits] = cidr.split("/");
		list.addSubnet(network, Number(bits), family(network));
	}
	const trusted = (address: string): boolean =>
		proxies.length > 0 && isIP(address) !== 0 && list.check(address, family(address));
	return {
		trusted,
		of({ socket, headers }) {
			const connected = plain(socket.remoteAddress ?? "");
			if (!trusted(connected)) return countedAs(connected);
			const hops = String(headers["x-forwarded-for"] ?? "").split(",");
			let nearest = connected;
			for (const hop of hops.toReversed()) {
				const address = plain(withoutPort(hop.trim()));
				if (isIP(address) === 0) return countedAs(connected);
				nearest = address;
				if (!trusted(address)) break;
			}
			return countedAs(nearest);
		},
	};
}

const family = (address: string): "ipv4" | "ipv6" => (isIPv4(address) ? "ipv4" : "ipv6");

const MAPPED = "::ffff:";

/** An address in its plain form: IPv4 over an IPv6 socket becomes IPv4, and a local address loses its zone. */
export function plain(address: string): string {
	const bare = address.split("%", 1)[0] ?? "";
	return bare.startsWith(MAPPED) && isIPv4(bare.slice(MAPPED.length)) ? bare.slice(MAPPED.length) : bare;
}

/** Some proxies include the port: `192.0.2.1:5060`, `[2001:db8::1]:5060`. */
function withoutPort(hop: string): string {
	return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}

/** 16-bit groups of an IPv6 address that identify its network; its owner can change the rest at will. */
const IPV6_SITE_GROUPS = 4;
const IPV6_GROUPS = 8;

/** The address that requests are counted for: an IPv4 address itself, an IPv6 address's /64 network. */
export function countedAs(address: string): string {
	if (!address.includes(":")) return address;
	const [head = "", tail] = address.split("::", 2);
	const before = head === "" ? [] : head.split(":");
	const after = tail === undefined || tail === "" ? [] : tail.split(":");
	const zeros = tail === undefined ? 0 : Math.max(0, IPV6_GROUPS - before.length - after.length);
	const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
	const site = groups.slice(0, IPV6_SITE_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
	return `${site.join(":")}::/64`;
}
