import Type from "typebox";
import { expect, it } from "vitest";
import { Echo } from "../../../test/doors.ts";
import { mostValues } from "./route.ts";

const LINE = Type.Object({ sku: Type.String(), qty: Type.Integer() });

it("a body may have four times the values that fit its schema, and 2,000 in any case", () => {
	expect(mostValues(undefined)).toBe(2_000);
	expect(mostValues(Echo.body)).toBe(2_000);
	// the body, its list, a thousand lines and their two fields each
	expect(mostValues(Type.Object({ items: Type.Array(LINE, { maxItems: 1_000 }) }))).toBe(4 * (2 + 3_000));
	const either = Type.Union([Type.Array(LINE, { maxItems: 500 }), Type.Array(LINE, { maxItems: 1_000 })]);
	expect(mostValues(Type.Object({ items: either }))).toBe(4 * (2 + 3_000));
});

it("a list without an end cannot be mounted", () => {
	expect(() => mostValues(Type.Object({ items: Type.Array(LINE) }))).toThrow(/no maxItems/);
});
