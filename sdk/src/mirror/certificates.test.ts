import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Certificate } from "../client/types.ts";
import { EMPTY_FEED, type Feed, feedIn, feedPageOf, feedToJson, newestFirst, withPage } from "./certificates.ts";

const UPDATED = new Date("2026-09-05T09:30:00.000Z");

function certificate(slug: string, batchNumber: string, status = "current", more: object = {}): Certificate {
	return {
		product: { slug, name: slug },
		batchNumber,
		vialSize: null,
		testedOn: null,
		labName: null,
		purityPct: 99.1,
		status,
		certificateUrl: status === "retired" ? "" : "https://coa.example.com/coa/file/1",
		verifyUrl: "https://coa.example.com/coa/lookup?lot=1",
		updatedAt: UPDATED,
		...more,
	} as Certificate;
}

const NOT_ASKED: ReadonlySet<string | null> = new Set([null]);
const data = (items: unknown, more: object = {}): unknown => ({ items, hasMore: false, nextCursor: "c1", ...more });
const feedOf = (...items: Certificate[]): Feed => withPage(EMPTY_FEED, { items, cursor: "c1", hasMore: false });
const batches = (feed: Feed, isWanted: (one: Certificate) => boolean = () => true): string[] =>
	newestFirst(feed, isWanted).map(({ batchNumber }) => batchNumber);

describe("A page of the feed", () => {
	it("has its certificates, also with members and words that were added later", () => {
		const items = [
			certificate("a", "1"),
			certificate("a", "2", "retired"),
			certificate("b", "3", "suspended", { later: 1 }),
		];
		expect(feedPageOf(data(items, { later: 1 }), NOT_ASKED)).toEqual({ items, cursor: "c1", hasMore: false });
	});

	it.each<[string, unknown]>([
		["null", null],
		["no items", {}],
		["no cursor", data([], { nextCursor: undefined })],
		["no hasMore", data([], { hasMore: undefined })],
		["a null item", data([null])],
		["no product", data([certificate("a", "1", "current", { product: null })])],
		["no batch number", data([certificate("a", "1", "current", { batchNumber: 7 })])],
		["no status", data([certificate("a", "1", "current", { status: undefined })])],
		["no address", data([certificate("a", "1", "current", { certificateUrl: null })])],
		["no time", data([certificate("a", "1", "current", { updatedAt: "yesterday" })])],
		["a time that cannot be", data([certificate("a", "1", "current", { updatedAt: new Date(Number.NaN) })])],
		["one wrong item among right ones", data([certificate("a", "1"), {}])],
		["a page that was read comes after it", data([certificate("a", "1")], { hasMore: true, nextCursor: "c0" })],
	])("is wrong as a whole: %s", (_what, reply) => {
		expect(feedPageOf(reply, new Set([null, "c0"]))).toEqual(expect.any(String));
	});
});

describe("A feed", () => {
	it("has one certificate of a product and batch: the last one, also when it is a tombstone or replaces one", () => {
		const first = feedOf(certificate("a", "1"), certificate("a", "2"), certificate("b", "1"));
		const second = withPage(first, { items: [certificate("a", "1", "retired")], cursor: "c2", hasMore: false });
		expect(newestFirst(second, ({ status }) => status === "retired")).toEqual([certificate("a", "1", "retired")]);
		expect(second).toMatchObject({ cursor: "c2", certificates: { size: 3 } });
		const third = withPage(second, { items: [certificate("a", "1")], cursor: "c3", hasMore: false });
		expect(newestFirst(third, ({ status }) => status === "retired")).toEqual([]);
		expect(first.cursor).toBe("c1");
	});

	it("gives what changed last first", () => {
		const feed = feedOf(certificate("a", "1"), certificate("a", "2"), certificate("b", "3"));
		expect(batches(withPage(feed, { items: [certificate("a", "1")], cursor: "c2", hasMore: false }))).toEqual([
			"1",
			"3",
			"2",
		]);
		expect(batches(feed, ({ product }) => product.slug === "a")).toEqual(["2", "1"]);
	});

	it("only moves its cursor on a page without changes", () => {
		const feed = feedOf(certificate("a", "1"));
		const later = withPage(feed, { items: [], cursor: "c2", hasMore: false });
		expect(later).toEqual({ ...feed, cursor: "c2" });
	});

	it("keeps product and batch apart, whatever they are named", () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: String }), (names) => {
				const feed = feedOf(...names.map(([slug, batch]) => certificate(slug, batch)));
				expect(feed.certificates.size).toBe(new Set(names.map((name) => JSON.stringify(name))).size);
			}),
		);
	});

	it("is the same after it was in a store, times and later members included", () => {
		const later = { addedAt: UPDATED, more: { lockedUntil: UPDATED } };
		const feed = feedOf(certificate("a", "1", "current", later), certificate("a", "2", "retired"));
		expect(feedIn(JSON.parse(JSON.stringify(feedToJson(feed))))).toEqual(feed);
		expect(feedIn(JSON.parse(JSON.stringify(feedToJson(EMPTY_FEED))))).toEqual(EMPTY_FEED);
	});

	it.each<[string, unknown]>([
		["nothing", undefined],
		["a list", []],
		["no certificates", { cursor: null }],
		["a cursor that is a number", { cursor: 1, certificates: [] }],
		["something that is no certificate", { cursor: "c1", certificates: [{}] }],
	])("is not taken from a store that has %s", (_what, json) => {
		expect(feedIn(json)).toBeNull();
	});
});
