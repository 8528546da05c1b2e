import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Networks that the operator allows besides the public ones (HOLDFAST_WEBHOOK_ALLOW). */
export type AllowedNetworks = readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];

/** Parses CIDRs that are known to be valid. */
export const allowedNetworks = (cidrs: readonly string[]): AllowedNetworks =>
	cidrs.map((cidr) => ipaddr.parseCIDR(cidr));

/** Addresses in the public range that are not on the internet: cloud services reachable only from inside. */
const CLOUD_SERVICES = ["168.63.129.16/32", "100.100.100.200/32"].map((cidr) => ipaddr.parseCIDR(cidr));
/** The allocated public unicast addresses of IPv6; all others are reserved (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/**
 * Whether events may be posted to an address. `public`: over TLS; `allowed`: the operator allows it, even without TLS.
 */
export type Reach = "public" | "allowed" | "forbidden";

/**
 * Judges the address that a socket connects to. Every address that is not a public unicast address of one machine is
 * forbidden: loopback, private, link-local, shared, multicast, reserved, documentation and benchmark addresses, and
 * IPv6 addresses that embed an IPv4 address (mapped, translated, 6to4, Teredo), whose real target is elsewhere.
 */
export function reachOf(address: string, allowed: AllowedNetworks): Reach {
	// the strict parser first, because ipaddr.js also accepts octal numbers and short forms
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

/** Whether events may be posted to a URL of this protocol at this address. */
export const mayPost = (protocol: string, reach: Reach): boolean =>
	reach === "allowed" || (reach === "public" && protocol === "https:");

/** The problem with the text of a URL, regardless of its target; null if there is none. */
export function wrongInUrl(text: string): string | null {
	const url = URL.parse(text);
	if (url === null || !/^https?:\/\/[^/]/i.test(text)) return "expected an address that begins with https://";
	if (url.username !== "" || url.password !== "") return "expected an address without a user or password in it";
	if (url.hash !== "") return "expected an address without a # part";
	return null;
}

/** The host of a URL for a DNS lookup: without the brackets of IPv6. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");
