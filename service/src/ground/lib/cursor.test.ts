import { createHash, createSecretKey, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createCursors, filtersText } from "./cursor.ts";

const newKey = () => createSecretKey(randomBytes(32));
const [OLD, NEW] = [newKey(), newKey()];
const CURSORS = createCursors([NEW]);
const FILTERS = filtersText(["key", undefined, "ACME"]);

describe("a cursor", () => {
	it.each([0, 1, 7_654_321, Number.MAX_SAFE_INTEGER])("brings %i back", (after) => {
		expect(CURSORS.read(CURSORS.write(after, FILTERS), FILTERS)).toBe(after);
	});

	it("is refused with other filters, and an absent filter is not an empty one", () => {
		for (const other of [["key", "ACME", undefined], ["key", undefined, "BOLT"], ["key", "", "ACME"], []]) {
			expect(CURSORS.read(CURSORS.write(5, FILTERS), filtersText(other))).toMatchObject({ refusal: "invalid_input" });
		}
	});

	it("tells nothing of its number: those of neighbours share no more characters than those of strangers", () => {
		const cursors = Array.from({ length: 200 }, (_, after) => CURSORS.write(after, FILTERS));
		const shared = (a: string, b: string): number => [...a].filter((letter, at) => letter === b[at]).length;
		const neighbours = cursors.slice(1).map((cursor, at) => shared(cursor, cursors[at] ?? ""));
		expect(Math.max(...neighbours)).toBeLessThan(10);
		expect(new Set(cursors.map(({ length }) => length))).toEqual(new Set([32]));
	});

	it("is the same for the same place in the same list, so that a page keeps its ETag", () => {
		expect(CURSORS.write(5, FILTERS)).toBe(CURSORS.write(5, FILTERS));
		expect(CURSORS.write(5, FILTERS)).not.toBe(CURSORS.write(5, filtersText(["other key", undefined, "ACME"])));
	});

	it("is read as long as the entry of the ring that sealed it is there", () => {
		const made = createCursors([OLD]).write(5, FILTERS);
		expect(createCursors([NEW, OLD]).read(made, FILTERS)).toBe(5);
		expect(CURSORS.read(made, FILTERS)).toMatchObject({ refusal: "invalid_input" });
	});

	it("with a number in plain text and an unkeyed digest is refused: whoever knows the filters could make one", () => {
		const digest = createHash("sha256").update(FILTERS).digest("base64url").slice(0, 12);
		const made = Buffer.from(`42.${digest}`).toString("base64url");
		expect(CURSORS.read(made, FILTERS)).toMatchObject({ refusal: "invalid_input" });
	});

	it.each([
		"",
		"x",
		"-1",
		"äöü",
		"AAAA",
		Buffer.from("5").toString("base64url"),
		Buffer.alloc(24).toString("base64url"),
		"A".repeat(100_000),
	])("that was not made here is refused: %.20j", (cursor) => {
		expect(CURSORS.read(cursor, FILTERS)).toMatchObject({ refusal: "invalid_input" });
	});
});
