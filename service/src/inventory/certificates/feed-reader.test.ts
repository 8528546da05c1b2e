import { expect, it } from "vitest";
import type { Page } from "../../ground/lib/page.ts";
import { keyOf } from "./feed-reader.ts";
import type { FeedFilter } from "./sql.ts";

const FILTER: FeedFilter = { environment: "live", status: null, products: null, updatedSince: null };
const PAGE: Page = { after: 0, limit: 50, cursorAt: String };

it("a cached page of the feed has a short key, however many products were asked for", () => {
	const products = Array.from({ length: 300 }, (_, n) => `a-product-with-a-long-name-${n}`.padEnd(50, "-"));
	expect(JSON.stringify(products).length).toBeGreaterThan(15_000);
	expect(keyOf({ ...FILTER, products }, PAGE).length).toBeLessThan(64);
});

it("pages that differ in anything have keys of their own", () => {
	const keys = [
		keyOf(FILTER, PAGE),
		keyOf({ ...FILTER, environment: "sandbox" }, PAGE),
		keyOf({ ...FILTER, status: "current" }, PAGE),
		keyOf({ ...FILTER, products: ["a", "b"] }, PAGE),
		keyOf({ ...FILTER, products: ["a,b"] }, PAGE),
		keyOf({ ...FILTER, updatedSince: 1 }, PAGE),
		keyOf(FILTER, { ...PAGE, after: 1 }),
		keyOf(FILTER, { ...PAGE, limit: 51 }),
	];
	expect(new Set(keys).size).toBe(keys.length);
	expect(keyOf({ ...FILTER }, { ...PAGE })).toBe(keys[0]);
});
