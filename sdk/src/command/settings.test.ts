import { describe, expect, it } from "vitest";
import { addressOf, settingsOf } from "./settings.ts";

describe("An address is taken as a person types it", () => {
	it.each([
		["https://api.example.com", "https://api.example.com"],
		["https://api.example.com/", "https://api.example.com"],
		[" api.example.com ", "https://api.example.com"],
		["127.0.0.1:4000", "http://127.0.0.1:4000"],
		["localhost:4000/", "http://localhost:4000"],
		["[::1]:4000", "http://[::1]:4000"],
		["https://api.example.com/api/v1/check", "https://api.example.com"],
		["https://example.com/holdfast/api/v1", "https://example.com/holdfast"],
		["https://example.com/apiary/", "https://example.com/apiary"],
		["http://127.0.0.1:4000/docs", "http://127.0.0.1:4000"],
		["https://coa.example.com/coa/lookup?lot=C-1", "https://coa.example.com"],
		["HTTPS://API.example.com", "https://api.example.com"],
	])("%s", (typed, address) => {
		expect(addressOf(typed)).toBe(address);
	});

	it.each(["", "ftp://example.com", "https://", "a b", "https:///x"])("%j is none", (typed) => {
		expect(() => addressOf(typed)).toThrow("is not an address");
	});
});

describe("Settings", () => {
	it("of the command line go before variables, and none is made up", () => {
		const variables = { HOLDFAST_URL: "https://a.example", HOLDFAST_TOKEN: " pk_1:sk_1\n" };
		expect(settingsOf({}, variables)).toEqual({ url: "https://a.example", coaUrl: undefined, token: "pk_1:sk_1" });
		expect(settingsOf({ url: "b.example", "coa-url": "c.example", token: "pk_2:sk_2" }, variables)).toEqual({
			url: "https://b.example",
			coaUrl: "https://c.example",
			token: "pk_2:sk_2",
		});
	});
});
