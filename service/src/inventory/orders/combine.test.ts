import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameAddress } from "./combine.ts";
import { type ShipTo, shipToOf } from "./order.ts";

const HOME: ShipTo = {
	name: "Zoë Example",
	company: "Example & Co.",
	line1: "1 Main Street",
	line2: "Flat 2",
	city: "Sankt Pölten",
	state: "OR",
	postal_code: "97201",
	country: "US",
};

describe("two addresses are the same", () => {
	it.each<[what: string, change: Partial<ShipTo>]>([
		["with other case", { city: "SANKT PÖLTEN", line1: "1 MAIN street" }],
		["with other white space", { line1: "  1  Main\tStreet\n", company: "Example &\u00a0Co." }],
		["with accents composed otherwise", { name: "Zoe\u0308 Example", city: "Sankt Po\u0308lten" }],
	])("%s", (_what, change) => {
		expect(isSameAddress(HOME, { ...HOME, ...change })).toBe(true);
	});

	it("with an empty field for none", () => {
		const { line2: _, company: __, ...bare } = HOME;
		expect(isSameAddress(bare, { ...bare, line2: "", company: "  " })).toBe(true);
	});

	it("however they are spelled: always with themselves, and either way round", () => {
		const text = fc.string({ unit: "grapheme", maxLength: 8 });
		const address = fc.record({ line1: text, city: text, postal_code: text, country: text, name: text });
		fc.assert(fc.property(address, (one) => isSameAddress(one, { ...one })));
		fc.assert(fc.property(address, address, (one, other) => isSameAddress(one, other) === isSameAddress(other, one)));
	});
});

describe("the receiver of a parcel", () => {
	const { name: _, ...door } = HOME;
	const same = (a: Parameters<typeof shipToOf>[0], b: Parameters<typeof shipToOf>[0]): boolean =>
		isSameAddress(shipToOf(a), shipToOf(b));

	it("is the customer where no other is named, so that nobody gets what a neighbour has ordered", () => {
		expect(same({ name: "Ada", ship_to: door }, { name: "Grace", ship_to: door })).toBe(false);
		expect(same({ name: "Ada", ship_to: door }, { name: " ada", ship_to: door })).toBe(true);
	});
	it("is who is named in the address, whoever ordered", () => {
		const toAda = { ...door, name: "Ada" };
		expect(same({ name: "Grace", ship_to: toAda }, { name: "Joan", ship_to: toAda })).toBe(true);
		expect(same({ name: "Grace", ship_to: toAda }, { name: "Ada", ship_to: door })).toBe(true);
		expect(same({ name: "Ada", ship_to: toAda }, { name: "Ada", ship_to: { ...door, name: "Grace" } })).toBe(false);
	});
});

describe("two addresses differ", () => {
	it.each(Object.keys(HOME) as (keyof ShipTo)[])("in %s", (field) => {
		expect(isSameAddress(HOME, { ...HOME, [field]: "x" })).toBe(false);
	});
	it("where a word is cut in two, or accents are left out", () => {
		expect(isSameAddress(HOME, { ...HOME, line1: "1 MainStreet" })).toBe(false);
		expect(isSameAddress(HOME, { ...HOME, name: "Zoe Example" })).toBe(false);
	});
});
