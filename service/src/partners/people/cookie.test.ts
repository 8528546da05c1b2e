import { describe, expect, it } from "vitest";
import { clearCookie, secretIn, setCookie } from "./cookie.ts";
import { isFromElsewhere, isOwnOrigin } from "./own-origin.ts";

describe("the cookie of a session", () => {
	it("is out of reach for scripts and other sites, and over https for other hosts", () => {
		expect(setCookie("s", true)).toBe("__Host-holdfast=s; Path=/; HttpOnly; SameSite=Strict; Secure");
		expect(setCookie("s", false)).toBe("holdfast=s; Path=/; HttpOnly; SameSite=Strict");
		expect(clearCookie(true)).toMatch(/^__Host-holdfast=; .*Max-Age=0$/);
	});

	it.each([
		[undefined, null],
		["", null],
		["holdfast=abc", "abc"],
		["other=1; holdfast=abc; more=2", "abc"],
		["holdfast=", null],
		["holdfast=a; holdfast=b", null],
		["__Host-holdfast=abc", null],
		["xholdfast=abc", null],
	])("in %j is %j over http", (header, secret) => expect(secretIn(header, false)).toBe(secret));

	it("is another one over https, so that a page over http cannot plant it", () => {
		expect(secretIn("holdfast=planted; __Host-holdfast=abc", true)).toBe("abc");
		expect(secretIn("holdfast=planted", true)).toBe(null);
	});
});

describe("a write by cookie", () => {
	const URL_ = "https://api.example.com";
	it.each([
		[{ "sec-fetch-site": "same-origin" }, URL_, true],
		[{ "sec-fetch-site": "same-site", origin: URL_ }, URL_, false],
		[{ "sec-fetch-site": "cross-site" }, null, false],
		[{ "sec-fetch-site": "none" }, null, false],
		[{ origin: URL_ }, URL_, true],
		[{ origin: "https://api.example.com.evil.test" }, URL_, false],
		[{ origin: "http://api.example.com" }, URL_, false],
		[{ origin: "null" }, URL_, false],
		[{ origin: "http://127.0.0.1:4000", host: "127.0.0.1:4000" }, null, true],
		[{ origin: "http://127.0.0.1:4001", host: "127.0.0.1:4000" }, null, false],
		[{ host: "127.0.0.1:4000" }, null, false],
		[{}, URL_, false],
	])("with %j at %s is one's own: %s", (headers, url, own) => expect(isOwnOrigin({ headers }, url)).toBe(own));

	it("without either header comes from no browser", () => {
		expect(isFromElsewhere({ headers: { host: "a" } }, null)).toBe(false);
		expect(isFromElsewhere({ headers: { host: "a", origin: "http://b" } }, null)).toBe(true);
	});
});
