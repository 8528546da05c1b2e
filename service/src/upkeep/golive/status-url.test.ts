import { describe, expect, it } from "vitest";
import { allowedNetworks, reachOf } from "../../partners/webhooks/address-rules.ts";
import { isHere, networksFor, wrongInStatusUrl } from "./status-url.ts";

describe("A status address", () => {
	it.each([
		["http://localhost:3000/status.json", true],
		["http://127.0.0.1/status.json", true],
		["http://127.1/status.json", true],
		["http://[::1]:8080/", true],
		["https://localhost.example.com/", false],
		["https://127.0.0.1.example.com/", false],
		["https://10.0.0.1/", false],
		["https://shop.example.com/", false],
		["nonsense", false],
	])("%s is of this machine: %s", (url, here) => expect(isHere(url)).toBe(here));

	it("leads to this machine only if it names it", () => {
		const allowed = allowedNetworks(["10.1.0.0/16"]);
		const reach = (url: string, address: string) => reachOf(address, networksFor(allowed, url));
		expect(reach("http://localhost/", "127.0.0.1")).toBe("allowed");
		expect(reach("http://localhost/", "::1")).toBe("allowed");
		expect(reach("https://shop.example.com/", "127.0.0.1")).toBe("forbidden");
		expect(reach("https://shop.example.com/", "10.1.2.3")).toBe("allowed");
		expect(reach("http://localhost/", "192.168.0.1")).toBe("forbidden");
	});

	it.each([
		["ftp://shop.example.com/status.json", /https:/],
		["https://ada:secret@shop.example.com/", /without a user or password/],
		["https://shop.example.com/#status", /without a # part/],
	])("%s is refused in words", (url, words) => expect(wrongInStatusUrl(url)).toMatch(words));

	it("of the usual form has no problem", () => {
		expect(wrongInStatusUrl("https://shop.example.com/status.json?key=1")).toBeNull();
	});
});
