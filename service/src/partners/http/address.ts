import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4 } from "node:net";

/** Whose address counts: that of the connection, or behind a proxy of ours the one that the proxy names. */
export interface Addresses {
	/** Is this the address of a proxy that we believe? */
	trusted(address: string): boolean;
	/** Where a request comes from, as it is counted. */
	of(request: IncomingMessage): string;
}

/**
 * `proxies`: CIDRs, as HOLDFAST_TRUSTED_PROXIES gives them. A request from one of them counts for the last address of
 * its X-Forwarded-For that is no such proxy: what stands further to the left was written by the caller. If that is no
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

/**
 * An address as it is counted: an IPv4 one that came in through an IPv6 socket is the same one, and the zone of a local
 * one is not part of it.
 */
export function plain(address: string): string {
	const bare = address.split("%", 1)[0] ?? "";
	return bare.startsWith(MAPPED) && isIPv4(bare.slice(MAPPED.length)) ? bare.slice(MAPPED.length) : bare;
}

/** Some proxies name the port too: `192.0.2.1:5060`, `[2001:db8::1]:5060`. */
function withoutPort(hop: string): string {
	return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}

/** Groups of 16 bits of an IPv6 address that say where it is: the rest its owner chooses anew as often as it likes. */
const IPV6_SITE_GROUPS = 4;
const IPV6_GROUPS = 8;

/** What an address counts as: an IPv4 one as itself, an IPv6 one as its network of 64 bits. */
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
