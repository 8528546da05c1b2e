import { expect, it } from "vitest";
import { Echo } from "../../test/doors.ts";
import { checkerOf } from "./checker.ts";
import { describe } from "./findings.ts";

const checker = checkerOf(Echo.body);
const check = (value: unknown): string => describe(checker(value) ?? []);

/** The value, and how often anything in it was looked at. */
function watched<T extends object>(value: T): { value: T; looks: () => number } {
	let looks = 0;
	return {
		value: new Proxy(value, {
			get(target, name, receiver) {
				looks++;
				return Reflect.get(target, name, receiver) as unknown;
			},
		}),
		looks: () => looks,
	};
}

it("a list that is too long is told by its length: what stands in it is not looked at", () => {
	const list = watched(Array.from({ length: 51_000 }, () => ({ sku: 1, qty: "x" })));
	expect(check({ items: list.value })).toBe("/items: expected at most 100 entries.");
	expect(list.looks()).toBeLessThan(20);
});

it("of many unknown fields a few are named, and none is looked into", () => {
	const body = watched(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, { a: [1] }])));
	expect(check(body.value)).toBe(
		"/k0: unknown field; /k1: unknown field; /k2: unknown field; /k3: unknown field; /k4: unknown field; /k5: unknown field; /k6: unknown field; and more.",
	);
	expect(body.looks()).toBeLessThan(20);
	const lines = Array.from({ length: 3 }, () => ({ sku: "A", qty: 1, ...body.value }));
	expect(check({ items: lines })).toMatch(/^\/items\/0\/k0: unknown field; .*; and more\.$/);
});

it("a few wrong fields are named, each with what was expected", () => {
	expect(check({ items: [{ sku: "", qty: 0, a: 1 }], b: 2 })).toBe(
		"/b: unknown field; /items/0/a: unknown field; /items/0/sku: expected at least 1 character; /items/0/qty: expected a number of at least 1.",
	);
});
