import { describe, expect, it } from "vitest";
import { type PickPart, pickList, pickTable } from "./pick-list.ts";

const part = (orderId: string, fgId: string, units: number, rest: Partial<PickPart> = {}): PickPart => ({
	orderId,
	ref: `cart ${orderId}`,
	externalOrderId: orderId === "o1" ? "#1001" : null,
	partner: "Shop",
	fgId,
	units,
	formula: "CALM",
	batchNumber: `b-${fgId}`,
	expiresOn: "2030-01-01",
	receivedOn: "2026-01-01",
	brandCode: "ACME",
	location: null,
	...rest,
});

const O1 = { orderId: "o1", ref: "cart o1", externalOrderId: "#1001", partner: "Shop" };

describe("A pick list", () => {
	it("goes by location as people count, lots without one last, then by formula, the first expired first", () => {
		const list = pickList([
			part("o1", "none", 1),
			part("o1", "ten", 1, { location: "A-10" }),
			part("o1", "two late", 1, { location: "a-2", expiresOn: null }),
			part("o1", "two soon", 1, { location: "A-2", expiresOn: "2029-01-01" }),
			part("o1", "two other", 1, { location: "A-2", formula: "BRIGHT" }),
		]);
		expect(list.stops.map(({ fgId }) => fgId)).toEqual(["two other", "two soon", "two late", "ten", "none"]);
	});

	it("has each lot once, with the units of each order", () => {
		const list = pickList([part("o2", "x", 3), part("o1", "x", 1), part("o2", "x", 2), part("o1", "y", 4)]);
		expect(list).toMatchObject({ units: 10, orders: 2 });
		expect(list.stops.map(({ fgId, units, orders }) => ({ fgId, units, orders }))).toEqual([
			{
				fgId: "x",
				units: 6,
				orders: [
					{ orderId: "o2", ref: "cart o2", externalOrderId: null, partner: "Shop", units: 5 },
					{ ...O1, units: 1 },
				],
			},
			{ fgId: "y", units: 4, orders: [{ ...O1, units: 4 }] },
		]);
	});

	it("is a table that says each stop once", () => {
		const list = pickList([
			part("o2", "x", 3, { location: "A", brandCode: null, expiresOn: null }),
			part("o1", "x", 1),
		]);
		const { headings, rows } = pickTable(list);
		expect(rows).toEqual([
			["A", "CALM", "b-x", "never", "(shared)", 4, "cart o2", "Shop", 3],
			["", "", "", "", "", "", "#1001", "Shop", 1],
		]);
		expect(rows.every((row) => row.length === headings.length)).toBe(true);
	});

	it("of nothing is empty", () => {
		expect(pickList([])).toEqual({ stops: [], units: 0, orders: 0 });
	});
});
