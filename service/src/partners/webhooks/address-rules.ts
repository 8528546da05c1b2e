import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Networks that the operator allows beside the public ones (HOLDFAST_WEBHOOK_ALLOW). */
export type AllowedNetworks = readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];

/** Reads CIDRs that were checked before. */
export const allowedNetworks = (cidrs: readonly string[]): AllowedNetworks =>
	cidrs.map((cidr) => ipaddr.parseCIDR(cidr));

/** Public by their numbers, and yet not the internet: services of a cloud that its machines alone reach. */
const CLOUD_SERVICES = ["168.63.129.16/32", "100.100.100.200/32"].map((cidr) => ipaddr.parseCIDR(cidr));
/** Public unicast addresses of version 6 that were given out; all others are reserved (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/** How far an address may be posted to. `public`: over TLS; `allowed`: the operator allows it, without TLS too. */
export type Reach = "public" | "allowed" | "forbidden";

/**
 * Judges the address that a socket connects to. Forbidden is whatever is not a public unicast address of one machine:
 * loopback, private, link-local, shared, multicast, reserved, documentation, benchmarks, and addresses that carry one
 * of version 4 in them (mapped, translated, 6to4, Teredo), for where they lead is decided elsewhere.
 */
export function reachOf(address: string, allowed: AllowedNetworks): Reach {
	// the strict reader first: the other one takes octal numbers and short forms, too
	if (address.includes("%") || isIP(address) === 0) return "forbidden";
	const parsed = ipaddr.parse(address);
	if (allowed.some((network) => isIn(parsed, network))) return "allowed";
	if (parsed.range() !== "unicast") return "forbidden";
	if (CLOUD_SERVICES.some((network) => isIn(parsed, network))) return "forbidden";
	if (parsed.kind() === "ipv6" && !isIn(parsed, GLOBAL_UNICAST)) return "forbidden";
	return "public";
}

const isIn = (
	address: ipaddr.IPv4 | ipaddr.IPv6,
	[network, bits]: readonly [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean => address.kind() === network.kind() && (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits);

/** May a socket to this address be used for a URL of this protocol? */
export const mayPost = (protocol: string, reach: Reach): boolean =>
	reach === "allowed" || (reach === "public" && protocol === "https:");

/** What is wrong with the text of a URL, whatever it leads to; null: nothing. */
export function wrongInUrl(text: string): string | null {
	const url = URL.parse(text);
	if (url === null || !/^https?:\/\/[^/]/i.test(text)) return "expected an address that begins with https://";
	if (url.username !== "" || url.password !== "") return "expected an address without a user or password in it";
	if (url.hash !== "") return "expected an address without a part behind #";
	return null;
}

/** The host of a URL as it is looked up: without the brackets of version 6. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");
