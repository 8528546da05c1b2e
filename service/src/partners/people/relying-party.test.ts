import { describe, expect, it } from "vitest";
import { relyingPartyOf } from "./relying-party.ts";

describe("the relying party", () => {
	it.each([
		["https://partners.example.com", { id: "partners.example.com", origin: "https://partners.example.com" }],
		["https://partners.example.com:8443", { id: "partners.example.com", origin: "https://partners.example.com:8443" }],
		["http://127.0.0.1:8080", { id: "localhost", origin: "http://localhost:8080" }],
		["http://localhost:8080", { id: "localhost", origin: "http://localhost:8080" }],
		["http://[::1]:8080", { id: "localhost", origin: "http://localhost:8080" }],
		["http://partners.example.com", null],
		["https://192.0.2.7", null],
		["https://[2001:db8::7]", null],
	])("of %s", (url, expected) => {
		expect(relyingPartyOf(url)).toEqual(expected);
	});
});
