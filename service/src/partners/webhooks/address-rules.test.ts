import { describe, expect, it } from "vitest";
import { allowedNetworks, mayPost, reachOf, wrongInUrl } from "./address-rules.ts";

const FORBIDDEN = [
	"0.0.0.0",
	"0.1.2.3",
	"10.0.0.1",
	"10.255.255.255",
	"100.64.0.1",
	"100.127.255.255",
	"127.0.0.1",
	"127.255.0.1",
	"169.254.0.1",
	"169.254.169.254",
	"172.16.0.1",
	"172.31.255.255",
	"192.0.0.1",
	"192.0.0.192",
	"192.0.2.1",
	"192.88.99.1",
	"192.168.0.1",
	"192.168.255.255",
	"198.18.0.1",
	"198.19.255.255",
	"198.51.100.1",
	"203.0.113.1",
	"224.0.0.1",
	"239.255.255.255",
	"240.0.0.1",
	"255.255.255.255",
	"168.63.129.16",
	"100.100.100.200",
	"192.31.196.1",
	"192.52.193.1",
	"192.175.48.1",
	"::",
	"::1",
	"::2",
	"::7f00:1",
	"::127.0.0.1",
	"::ffff:127.0.0.1",
	"::ffff:8.8.8.8",
	"::ffff:0:127.0.0.1",
	"64:ff9b::7f00:1",
	"64:ff9b::8.8.8.8",
	"64:ff9b:1::1",
	"100::1",
	"2001::1",
	"2001:0:53aa:64c::1",
	"2001:2::1",
	"2001:3::1",
	"2001:4:112::1",
	"2001:10::1",
	"2001:20::1",
	"2001:30::1",
	"2001:db8::1",
	"2002:7f00:1::1",
	"2620:4f:8000::1",
	"3fff::1",
	"4000::1",
	"5f00::1",
	"8000::1",
	"e000::1",
	"fc00::1",
	"fd00::1",
	"fd00:ec2::254",
	"fe80::1",
	"fe80::1%eth0",
	"fec0::1",
	"ff02::1",
	"ff0e::1",
	"2606:4700::1%lo",
	"",
	"localhost",
	"8.8.8",
	"08.8.8.8x",
	"not an address",
];
const PUBLIC = [
	"1.1.1.1",
	"8.8.8.8",
	"9.255.255.255",
	"11.0.0.0",
	"93.184.216.34",
	"100.63.255.255",
	"100.128.0.0",
	"126.255.255.255",
	"128.0.0.1",
	"169.253.1.1",
	"172.15.0.1",
	"172.32.0.1",
	"192.167.1.1",
	"192.169.1.1",
	"198.17.1.1",
	"198.20.0.1",
	"203.0.112.1",
	"223.255.255.255",
	"2606:4700:4700::1111",
	"2a00:1450:4001::1",
	"2001:4860:4860::8888",
	"2400:cb00::1",
];

describe("An address", () => {
	it.each(FORBIDDEN)("%s is forbidden", (address) => {
		expect(reachOf(address, [])).toBe("forbidden");
		for (const protocol of ["http:", "https:"]) expect(mayPost(protocol, reachOf(address, []))).toBe(false);
	});

	it.each(PUBLIC)("%s may be posted to, over TLS only", (address) => {
		expect(reachOf(address, [])).toBe("public");
		expect([mayPost("https:", "public"), mayPost("http:", "public")]).toEqual([true, false]);
	});

	it("that the operator allows may be posted to, without TLS too; its neighbours not", () => {
		const allowed = allowedNetworks(["10.1.0.0/16", "::1/128"]);
		expect(reachOf("10.1.2.3", allowed)).toBe("allowed");
		expect(reachOf("::1", allowed)).toBe("allowed");
		expect(mayPost("http:", "allowed")).toBe(true);
		for (const address of ["10.2.0.1", "::2", "::ffff:10.1.2.3"]) {
			expect(reachOf(address, allowed)).toBe("forbidden");
		}
	});
});

describe("The text of a URL", () => {
	it.each([
		["https://example.com/hook?x=1", true],
		["http://127.0.0.1:4000/", true],
		["HTTPS://EXAMPLE.COM", true],
		["https:example.com", false],
		["https:/example.com", false],
		["https:///example.com", false],
		["ftp://example.com", false],
		["file:///etc/passwd", false],
		["javascript:alert(1)", false],
		["https://user@example.com", false],
		["https://:pw@example.com", false],
		["https://example.com/#x", false],
		["https://exa mple.com", false],
		["//example.com", false],
		["", false],
	])("%s may be one: %s", (text, may) => {
		expect(wrongInUrl(text) === null).toBe(may);
	});
});
