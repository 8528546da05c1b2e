import Type from "typebox";
import { expect, it } from "vitest";
import { Echo } from "../../../test/doors.ts";
import { checkerOf } from "./checker.ts";
import { describe } from "./findings.ts";

const checker = checkerOf(Echo.body);
const check = (value: unknown): string => describe(checker(value) ?? []);

/** The value, and how often any part of it was read. */
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

it("of a long list the first entries that do not fit are named by their own places, wherever they stand", () => {
	const good = Array.from({ length: 100 }, () => ({ sku: "A", qty: 1 }));
	const wrongAt = (...places: number[]) => ({
		items: good.map((one, at) => (places.includes(at) ? { sku: "", qty: 1 } : one)),
	});
	expect(check(wrongAt(99))).toBe("/items/99/sku: expected at least 1 character.");
	expect(check(wrongAt(7, 50, 98))).toBe(
		[7, 50, 98]
			.map((at) => `/items/${at}/sku: expected at least 1 character`)
			.join("; ")
			.concat("."),
	);
	expect(check({ items: good.map(() => ({})) })).toMatch(/^\/items\/0\/sku: required; .*; and more\.$/);
	expect(check({ items: good, mode: "c" })).toBe('/mode: expected "a" or "b".');
	const strange = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, 1]));
	expect(check({ items: good.map((one, at) => (at === 60 ? { ...one, ...strange } : one)) })).toMatch(
		/^\/items\/60\/k0: unknown field; .*; and more\.$/,
	);
});

it("a long list whose last entry is wrong is looked at about as often as one that is right", () => {
	const list = checkerOf(Type.Object({ items: Type.Array(Type.Object({ n: Type.Integer() }), { maxItems: 5_000 }) }));
	let looks = 0;
	const entries = (last: unknown) =>
		Array.from({ length: 5_000 }, (_, at) => ({
			get n() {
				looks++;
				return at === 4_999 ? last : at;
			},
		}));
	const looksAt = (last: unknown): number => {
		looks = 0;
		list({ items: entries(last) });
		return looks;
	};
	const right = looksAt(1);
	expect(right).toBeGreaterThan(0);
	expect(looksAt("x") / right).toBeLessThan(2.1);
});

it("a text of one length only is refused with that length, and with an example where there is one", () => {
	const country = Type.String({ minLength: 2, maxLength: 2, examples: ["US"] });
	const check = checkerOf(Type.Object({ country, state: Type.String({ minLength: 2, maxLength: 2 }) }));
	expect(describe(check({ country: "usa", state: "O" }) ?? [])).toBe(
		"/country: expected exactly 2 characters, such as US; /state: expected exactly 2 characters.",
	);
});
