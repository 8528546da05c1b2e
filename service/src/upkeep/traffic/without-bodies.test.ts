import { describe, expect, it } from "vitest";
import { type Sought, traces, withoutBodies } from "./without-bodies.ts";

const ORDER = "0199f0a0-3333-7000-8000-000000000003";
const OTHER = "0199f0a0-3333-7000-8000-000000000004";
const SOUGHT: Sought = { ids: [ORDER], refs: ['cart-"1"'], email: "Ada@example.com " };
const FACTS = { at: 1, request_id: "req_1" };
const BODIES = { body_in: '{"note":"x"}', body_out: '{"data":{}}' };

/** A request, and whether its bodies must be removed. */
const CASES: readonly (readonly [what: string, request: object, isMeant: boolean])[] = [
	["names the order in its path", { url: `/api/v1/orders/${ORDER}`, ...BODIES }, true],
	["names it in capitals", { url: `/api/v1/orders/${ORDER.toUpperCase()}`, ...BODIES }, true],
	["is about its reference", { url: "/", about: ['cart-"1"'], ...BODIES }, true],
	["is sent under its reference", { url: "/", idempotency_key: 'cart-"1"', ...BODIES }, true],
	["has it in a list", { url: "/", body_out: `{"data":[{"order_id":"${ORDER}","customer":{"na…` }, true],
	["has the address in a body that was refused", { url: "/", body_in: '{"email":"ADA@EXAMPLE.COM"}' }, true],
	["has a longer reference", { url: "/", about: ['cart-"1"2'], ...BODIES }, false],
	["names another order", { url: `/api/v1/orders/${OTHER}`, ...BODIES }, false],
	["has no body", { url: `/api/v1/orders/${ORDER}` }, false],
];

describe("A request that", () => {
	it.for(CASES)("%s: its bodies are taken out if, and only if, it is meant", ([_what, request, isMeant]) => {
		const other = { ...FACTS, url: "/", ...BODIES };
		const text = JSON.stringify([{ ...FACTS, ...request }, other]);
		const { body_in: _in, body_out: _out, ...rest } = { body_in: "", body_out: "", ...request };
		expect(withoutBodies(text, SOUGHT)).toBe(isMeant ? JSON.stringify([{ ...FACTS, ...rest }, other]) : null);
		if (isMeant) expect(traces(SOUGHT).some((trace) => text.toLowerCase().includes(trace))).toBe(true);
	});

	it("has an address in a body whose letters are escaped is meant, and one with another letter is not", () => {
		const sought = { ids: [], refs: [], email: "Jörg@example.com" };
		const bodyOf = (email: string): string => JSON.stringify([{ url: "/", body_in: `{"email":"${email}"}` }]);
		for (const escaped of ["j\\u00f6rg@example.com", "J\\u00D6RG@EXAMPLE.COM"]) {
			expect(withoutBodies(bodyOf(escaped), sought)).toBe('[{"url":"/"}]');
			expect(traces(sought).some((trace) => bodyOf(escaped).toLowerCase().includes(trace))).toBe(true);
		}
		expect(withoutBodies(bodyOf("j\\u00e4rg@example.com"), sought)).toBeNull();
		const withPlus = bodyOf("ada\\u002Bshop@example.com");
		const plus = { ...sought, email: "ada+shop@example.com" };
		expect(withoutBodies(withPlus, plus)).toBe('[{"url":"/"}]');
		expect(traces(plus).some((trace) => withPlus.toLowerCase().includes(trace))).toBe(true);
	});

	it("is cleared is not touched again", () => {
		const text = JSON.stringify([{ url: `/api/v1/orders/${ORDER}`, ...BODIES }]);
		const cleared = withoutBodies(text, SOUGHT);
		expect(cleared).not.toBeNull();
		expect(withoutBodies(cleared ?? "", SOUGHT)).toBeNull();
	});
});
