import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ProductPage, productPageOf, productsIn, productsOf } from "./products.ts";

const ASKED = { cursor: null, etag: '"1"' };
const physical = (sku: unknown, atpQty: unknown): unknown => ({ sku, tracksInventory: true, availability: { atpQty } });
const fee = { sku: "FEE", tracksInventory: false, availability: { atpQty: 0 } };
const data = (items: unknown, more: object = {}): unknown => ({ items, hasMore: false, nextCursor: "c1", ...more });

describe("A page of products", () => {
	it("has the count of each SKU, null for one that is not physical", () => {
		expect(productPageOf(data([physical("A", 3), fee, physical("B", 0)]), ASKED, [])).toEqual({
			...ASKED,
			next: null,
			counts: [
				["A", 3],
				["FEE", null],
				["B", 0],
			],
		});
	});

	it("may have members that were added later, and other pages after it", () => {
		const item = { ...(physical("A", 3) as object), later: { atpQty: 0 } };
		const page = productPageOf(data([item], { hasMore: true, later: 1 }), ASKED, []);
		expect(page).toMatchObject({ next: "c1", counts: [["A", 3]] });
	});

	it.each<[string, unknown]>([
		["null", null],
		["a text", "no"],
		["no items", {}],
		["items as an object", data({})],
		["no hasMore", data([], { hasMore: undefined })],
		["more, but no cursor", data([physical("A", 1)], { hasMore: true, nextCursor: null })],
		["a null item", data([null])],
		["a SKU without a name", data([physical("", 1)])],
		["a SKU that is a number", data([physical(1, 1)])],
		["no availability", data([{ sku: "A", tracksInventory: true }])],
		["no count", data([physical("A", undefined)])],
		["null units", data([physical("A", null)])],
		["units as a text", data([physical("A", "0")])],
		["units below zero", data([physical("A", -1)])],
		["half a unit", data([physical("A", 0.5)])],
		["one wrong item among right ones", data([physical("A", 1), physical("B", "1")])],
		["whether it is physical is not said", data([{ sku: "A", availability: { atpQty: 0 } }])],
	])("is wrong as a whole: %s", (_what, reply) => {
		expect(productPageOf(reply, ASKED, [])).toEqual(expect.any(String));
	});

	it("is wrong if it leads back to a page that was read", () => {
		const before: ProductPage = { cursor: "c1", etag: null, next: "c2", counts: [] };
		const leadsTo = (nextCursor: string) =>
			productPageOf(data([fee], { hasMore: true, nextCursor }), { cursor: "c2", etag: null }, [before]);
		expect(leadsTo("c1")).toEqual(expect.any(String));
		expect(leadsTo("c2")).toEqual(expect.any(String));
		expect(leadsTo("c3")).toMatchObject({ next: "c3" });
	});

	it("gives no count that was not in it, whatever arrives", () => {
		const item = fc.record(
			{
				sku: fc.oneof(fc.string(), fc.anything()),
				tracksInventory: fc.oneof(fc.boolean(), fc.anything()),
				availability: fc.oneof(fc.record({ atpQty: fc.oneof(fc.nat(), fc.anything()) }), fc.anything()),
			},
			{ requiredKeys: [] },
		);
		const reply = fc.oneof(
			fc.anything(),
			fc.record({ items: fc.array(item), hasMore: fc.boolean(), nextCursor: fc.string() }),
		);
		fc.assert(
			fc.property(reply, (reply) => {
				const page = productPageOf(reply, ASKED, []);
				if (typeof page === "string") return;
				const { items } = reply as {
					items: { sku: string; tracksInventory: unknown; availability: { atpQty: unknown } }[];
				};
				expect(page.counts.length).toBe(items.length);
				for (const [at, [sku, qty]] of page.counts.entries()) {
					expect(items[at]?.sku).toBe(sku);
					if (qty === null) expect(items[at]?.tracksInventory).toBe(false);
					else expect(items[at]?.availability.atpQty).toBe(qty);
				}
			}),
		);
	});
});

describe("All pages", () => {
	it("count a SKU that changed its place meanwhile as on the later page", () => {
		const pages: ProductPage[] = [
			{
				cursor: null,
				etag: null,
				next: "c1",
				counts: [
					["A", 1],
					["B", 2],
				],
			},
			{ cursor: "c1", etag: null, next: null, counts: [["A", 0]] },
		];
		expect([...productsOf(pages).counts]).toEqual([
			["A", 0],
			["B", 2],
		]);
	});

	it("are the same after they were in a store", () => {
		const text = fc.option(fc.string());
		const count = fc.tuple(fc.string(), fc.option(fc.nat()));
		const page = fc.record({ cursor: text, etag: text, next: text, counts: fc.array(count) });
		fc.assert(
			fc.property(fc.array(page), (pages) => {
				expect(productsIn(JSON.parse(JSON.stringify(pages)))).toEqual(productsOf(pages));
			}),
		);
	});

	it.each<[string, unknown]>([
		["nothing", undefined],
		["an object", {}],
		["a null page", [null]],
		["a page without counts", [{ cursor: null, etag: null, next: null }]],
		["a count without units", [{ cursor: null, etag: null, next: null, counts: [["A"]] }]],
		["units as a text", [{ cursor: null, etag: null, next: null, counts: [["A", "0"]] }]],
		["units below zero", [{ cursor: null, etag: null, next: null, counts: [["A", -1]] }]],
		["a cursor that is a number", [{ cursor: 1, etag: null, next: null, counts: [] }]],
	])("are not taken from a store that has %s", (_what, json) => {
		expect(productsIn(json)).toBeNull();
	});
});
