import { expect, it } from "vitest";
import { helpOf, rateLimitOf, retryAfterMsOf, warningsOf } from "./headers.ts";

const headers = (given: Record<string, string>): Headers => new Headers(given);

it.for([
	['"key";q=60;w=60', '"key";r=41;t=17', { limit: 60, windowMs: 60_000, left: 41, resetMs: 17_000 }],
	[
		'"key";q=600;w=60, "token";q=10;w=60',
		'"token";r=9;t=1, "key";r=0;t=2',
		{ limit: 600, windowMs: 60_000, left: 0, resetMs: 2_000 },
	],
	['"key";w=60;q=60', '"key"; t=1; r=3', { limit: 60, windowMs: 60_000, left: 3, resetMs: 1_000 }],
	['"token";q=10;w=60', '"token";r=9;t=1', null],
	['"key";q=60', '"key";r=41;t=17', null],
] as const)("RateLimit-Policy %s and RateLimit %s are read", ([policy, left, expected]) => {
	expect(rateLimitOf(headers({ "RateLimit-Policy": policy, RateLimit: left }))).toEqual(expected);
});

it("a reply without them says nothing of the rate", () => {
	expect(rateLimitOf(headers({}))).toBeNull();
});

it.for([
	["3", 3_000],
	["0", 0],
	["Wed, 21 Oct 2026 07:28:00 GMT", null],
	["-1", null],
] as const)("Retry-After %s is %s ms", ([text, expected]) => {
	expect(retryAfterMsOf(headers({ "Retry-After": text }))).toBe(expected);
});

it.for([
	['<https://a.example/docs/errors/gone>; rel="help"', "https://a.example/docs/errors/gone"],
	[
		'<https://a.example/x>; rel="next", <https://a.example/docs/errors/gone>; rel=help',
		"https://a.example/docs/errors/gone",
	],
	['<https://a.example/x>; rel="next"', null],
] as const)("Link %s leads for help to %s", ([link, expected]) => {
	expect(helpOf(headers({ Link: link }))).toBe(expected);
});

it("the words of Partner-Warning are told apart", () => {
	expect(warningsOf(headers({ "Partner-Warning": "items_differ,ttl_differs , impaired" }))).toEqual([
		"items_differ",
		"ttl_differs",
		"impaired",
	]);
	expect(warningsOf(headers({}))).toEqual([]);
});
