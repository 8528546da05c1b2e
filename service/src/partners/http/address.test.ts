import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { createAddresses } from "./address.ts";

const addresses = createAddresses(["10.0.0.0/8", "192.0.2.7/32", "2001:db8:1::/48"]);

/** The parts of a request that `of` uses. */
const from = (remoteAddress: string, forwarded?: string): IncomingMessage =>
	({
		socket: { remoteAddress },
		headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
	}) as unknown as IncomingMessage;

describe("The address a request counts for", () => {
	it.each([
		["203.0.113.9", "198.51.100.1", "203.0.113.9", "a stranger's word about itself counts nothing"],
		["10.1.2.3", undefined, "10.1.2.3", "a proxy that says nothing"],
		["10.1.2.3", "198.51.100.1", "198.51.100.1", "what a trusted proxy says"],
		["::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1", "through a socket of both kinds"],
		["::ffff:203.0.113.9", undefined, "203.0.113.9", "counted as the address it is"],
		["10.1.2.3", "1.1.1.1, 198.51.100.1", "198.51.100.1", "the caller wrote what is further to the left"],
		["10.1.2.3", "1.1.1.1, 198.51.100.1, 192.0.2.7", "198.51.100.1", "through two trusted proxies"],
		["10.1.2.3", "198.51.100.1,10.9.9.9 , 192.0.2.7", "198.51.100.1", "through three"],
		["10.1.2.3", "10.4.4.4, 10.5.5.5", "10.4.4.4", "from within the trusted networks"],
		["2001:db8:1::5", "2001:db8:ffff::1", "2001:db8:ffff:0::/64", "in IPv6, by its network"],
		["10.1.2.3", "198.51.100.1:5060", "198.51.100.1", "with a port"],
		["10.1.2.3", "[2001:db8:ffff::1]:443", "2001:db8:ffff:0::/64", "with a port, in IPv6"],
		["10.1.2.3", "", "10.1.2.3", "empty"],
		["10.1.2.3", "unknown", "10.1.2.3", "no address"],
		["10.1.2.3", "198.51.100.1, x", "10.1.2.3", "no address where the last one should be"],
		["10.1.2.3", "198.51.100.1,", "10.1.2.3", "nothing where the last one should be"],
		["10.1.2.3", "999.1.1.1", "10.1.2.3", "an address that cannot be"],
		["fe80::1%eth0", undefined, "fe80:0:0:0::/64", "without the zone of a local one"],
		["", "198.51.100.1", "", "of a connection that is gone"],
	])("%s, X-Forwarded-For %j: %s (%s)", (remote, forwarded, expected, _what) => {
		expect(addresses.of(from(remote, forwarded))).toBe(expected);
	});

	it.each([
		["2001:db8::1", "2001:db8:0:0:ffff:ffff:ffff:ffff", true],
		["2001:0db8:0:0::1", "2001:db8::2", true],
		["::1", "::2", true],
		["2001:db8:0:1::1", "2001:db8:0:2::1", false],
		["192.0.2.1", "192.0.2.2", false],
	])("%s and %s count as one: %s", (one, other, same) => {
		expect(addresses.of(from(one)) === addresses.of(from(other))).toBe(same);
	});

	it("is the connection's when no proxy is trusted", () => {
		expect(createAddresses().of(from("10.1.2.3", "198.51.100.1"))).toBe("10.1.2.3");
	});
});
