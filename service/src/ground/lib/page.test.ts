import { createSecretKey, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createCursors } from "./cursor.ts";
import { firstAbove, type Page, readDay, readPage, readSince, takePage, writePage } from "./page.ts";
import { isRefusal } from "./refusal.ts";

const CURSORS = createCursors([createSecretKey(randomBytes(32))]);
const FILTERS = ["key", undefined, "ACME"];
const AS_OF_MS = Date.UTC(2026, 8, 6, 12);

function pageOf(asked: { limit?: number; cursor?: string }): Page {
	const page = readPage(CURSORS, asked, FILTERS);
	if (isRefusal(page)) throw new Error(page.message);
	return page;
}

/** The rows above a number, in order. */
const after = (numbers: readonly number[], { after: from }: Page): number[] => numbers.filter((n) => n > from);

/** Follows the cursor to the last page; returns the pages and the cursor for later reads. */
function follow(numbers: readonly number[], limit: number, begin?: string): { pages: number[][]; cursor: string } {
	const pages: number[][] = [];
	let cursor = begin;
	for (;;) {
		const page = pageOf({ limit, ...(cursor === undefined ? {} : { cursor }) });
		const reply = writePage(page, takePage(page, after(numbers, page), Number), Number, AS_OF_MS);
		pages.push(reply.items);
		cursor = reply.next_cursor;
		if (!reply.has_more) return { pages, cursor };
	}
}

describe("A list in pages", () => {
	it.each([
		[[], [[]]],
		[[1], [[1]]],
		[[3, 4, 9], [[3, 4, 9]]],
		[
			[1, 2, 3, 10],
			[[1, 2, 3], [10]],
		],
		[
			[1, 2, 3, 4, 5, 6],
			[
				[1, 2, 3],
				[4, 5, 6],
			],
		],
	])("of %j with three items each is %j: every row once, and no empty page after the last", (numbers, pages) => {
		expect(follow(numbers, 3).pages).toEqual(pages);
	});

	it("gives a cursor on its last page, too: whoever comes back with it gets what came since, and nothing twice", () => {
		const { cursor } = follow([1, 2, 3, 4], 3);
		expect(follow([1, 2, 3, 4], 3, cursor).pages).toEqual([[]]);
		expect(follow([1, 2, 3, 4, 5, 6], 3, cursor).pages).toEqual([[5, 6]]);
		expect(follow([], 3, follow([], 3).cursor).pages).toEqual([[]]);
	});

	it("asks for one row more than it answers, and for no other", () => {
		let asked = 0;
		function* rows(): Generator<number> {
			for (;;) yield ++asked;
		}
		expect(takePage(pageOf({ limit: 5 }), rows(), Number)).toEqual({ rows: [1, 2, 3, 4, 5], hasMore: true, last: 5 });
		expect(asked).toBe(6);
	});

	it("has 100 items unless the request says otherwise, and says when it was true", () => {
		expect(pageOf({})).toMatchObject({ after: 0, limit: 100 });
		expect(pageOf({ limit: 7 }).limit).toBe(7);
		const page = pageOf({});
		expect(writePage(page, takePage(page, [1], Number), String, AS_OF_MS)).toEqual({
			items: ["1"],
			next_cursor: expect.any(String),
			has_more: false,
			as_of: "2026-09-06T12:00:00.000Z",
		});
	});

	it("refuses a cursor that other filters made", () => {
		const { cursor } = follow([1], 3);
		expect(readPage(CURSORS, { cursor }, ["key", undefined, "BOLT"])).toMatchObject({ refusal: "invalid_input" });
		expect(readPage(CURSORS, { cursor: "nonsense" }, FILTERS)).toMatchObject({ refusal: "invalid_input" });
	});
});

describe("A filter by time", () => {
	it("is an RFC 3339 time in milliseconds, or absent", () => {
		expect(readSince("updated_since", "2026-09-06T14:00:00+02:00")).toBe(AS_OF_MS);
		expect(readSince("updated_since", undefined)).toBeUndefined();
		expect(readSince("updated_since", "1970-01-01T00:00:00Z")).toBe(0);
	});

	it("is refused by its own name when it is none", () => {
		expect(readSince("modified_since", "yesterday")).toMatchObject({
			refusal: "invalid_input",
			message: expect.stringContaining("/modified_since: "),
		});
	});
});

it("a filter by day is a day that exists, or is refused by its own name", () => {
	expect(readDay("from", "2026-02-28")).toBe("2026-02-28");
	expect(readDay("from", undefined)).toBeUndefined();
	for (const none of ["2026-02-29", "2026-2-8", "today", "", "2026-02-28T00:00:00Z"]) {
		expect(readDay("to", none)).toMatchObject({
			refusal: "invalid_input",
			message: expect.stringContaining("/to: "),
		});
	}
});

it("the first row above a number is found wherever it is", () => {
	const rows = [2, 3, 5, 8, 13];
	for (let number = 0; number < 15; number++) {
		const found = firstAbove(rows, number, Number);
		expect(rows.slice(found)).toEqual(rows.filter((row) => row > number));
	}
	expect(firstAbove([], 1, Number)).toBe(0);
});
