import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sizeOr } from "../../../test/sizes.ts";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { readJson } from "./json.ts";

const MANY = 1_000_000;
const read = (text: string, mostValues = MANY) => readJson(Buffer.from(text), mostValues);
const problemOf = (text: string, mostValues?: number): string | null => {
	const answer = read(text, mostValues);
	return "problem" in answer ? answer.problem : null;
};

/** JSON as a tree whose objects are lists of members, so that a name can occur twice in one of them. */
type Tree = { readonly members: readonly (readonly [name: string, value: Tree])[] } | readonly Tree[] | string;

/**
 * Names that are likely to collide, and texts full of characters with a meaning outside texts. For names that cannot be
 * written without a backslash see json.ts.
 */
const NAMES = ["a", "b", "ab", "qty", "__proto__", "constructor", "", "é", "é😀", "u", "u0", ":", ",{", "12"];
const name = fc.oneof(
	fc.constantFrom(...NAMES),
	fc.string({ maxLength: 3 }).map((text) => text.replace(/["\\]/g, "_")),
);
const TEXTS = ["", "x", '"', "\\", ":,{}[]", '\\"a\\":1', "\ud800", "\n", "é😀"];

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
	tree: fc.oneof(
		{ depthSize: "small" },
		fc.constantFrom(...TEXTS),
		fc.record({
			members: fc.array(fc.tuple(name, tie("tree")), {
				maxLength: 5,
			}),
		}),
		fc.array(tie("tree"), { maxLength: 4 }),
	),
}));

/** Writes a tree as JSON text; `choose` decides on spaces, and on which characters are escaped. */
function written(node: Tree, choose: () => boolean): string {
	const space = (): string => (choose() ? " \n" : "");
	if (typeof node === "string") return quoted(node, choose);
	if ("members" in node) {
		const members = node.members.map(
			([name, value]) => `${space()}${quoted(name, choose)}${space()}:${written(value, choose)}`,
		);
		return `{${members.join(",")}${space()}}`;
	}
	return `[${(node as readonly Tree[]).map((one) => written(one, choose)).join(`${space()},`)}${space()}]`;
}

function quoted(text: string, choose: () => boolean): string {
	const units = Array.from({ length: text.length }, (_, at) => {
		const escaped = `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
		const unit = text.charAt(at);
		if (choose() || !unit.isWellFormed() || /[\p{Cc}"\\]/u.test(unit)) return escaped;
		return unit;
	});
	return `"${units.join("")}"`;
}

/** The value of a tree without repeated names, built without parsing any text. */
function valueOf(node: Tree): unknown {
	if (typeof node === "string") return node;
	if (!("members" in node)) return (node as readonly Tree[]).map(valueOf);
	const made = {};
	for (const [name, value] of node.members) {
		Object.defineProperty(made, name, {
			value: valueOf(value),
			enumerable: true,
			writable: true,
			configurable: true,
		});
	}
	return made;
}

/** Whether a name occurs twice in one of the objects, determined from the tree alone and not from its text. */
function repeats(node: Tree): boolean {
	if (typeof node === "string") return false;
	if (!("members" in node)) return (node as readonly Tree[]).some(repeats);
	const names = node.members.map(([name]) => name);
	return new Set(names).size < names.length || node.members.some(([, value]) => repeats(value));
}

describe("A body is read as the one thing it says, or not at all", () => {
	it("a name that stands twice in one object is found exactly, in whatever spelling and depth", () => {
		const seen = new Set<boolean>();
		fc.assert(
			fc.property(fc.array(tree, { maxLength: 3 }), fc.infiniteStream(fc.boolean()), (values, choices) => {
				const node: Tree = { members: values.map((value, at) => [`m${at}`, value]) };
				const text = written(node, () => choices.next().value);
				const expected = repeats(node);
				seen.add(expected);
				const answer = read(text);
				if (expected) expect(answer).toEqual({ problem: "An object of the body has a member name twice." });
				else expect(answer).toEqual({ body: valueOf(node) });
			}),
			{ numRuns: sizeOr(20_000, 500) },
		);
		expect(seen).toEqual(new Set([true, false]));
	});

	it("whatever JSON.stringify writes of an object is read back", () => {
		fc.assert(
			fc.property(fc.object({ key: name, values: [fc.jsonValue({ maxDepth: 0 })], maxDepth: 4 }), (value) => {
				const answer = read(JSON.stringify(value));
				expect(JSON.stringify(answer)).toBe(JSON.stringify({ body: value }));
			}),
			{ numRuns: sizeOr(20_000, 500) },
		);
	});

	it("a name that an earlier text had in its place does not change how a later one is read (JSON.parse of Node 24 would)", () => {
		const escaped = '{"sku":"A","\\u0071\\u0074\\u0079":1}';
		for (const earlier of ["\\\\", "\\\\u", "\\\\u0"]) {
			read(`{"sku":"A","${earlier}":1}`);
			expect(read(escaped)).toEqual({ body: { sku: "A", qty: 1 } });
		}
		expect(problemOf('{"sku":"A","\\u0071\\u0074\\u0079":1,"qty":1}')).toMatch(/member name twice/);
	});

	it("long texts full of escapes are read, beside an escaped name too", () => {
		for (const unit of ['\\"', "\\\\", "\\u0041", "x", "é"]) {
			const text = `{"a":"${unit.repeat(150_000)}","\\u0062":1}`;
			expect(problemOf(text)).toBeNull();
		}
	});

	it.each(["", "{", "[]", "1", '"x"', "null", '{"a":1,}', '{"a":1}}', '{"a":"\\"}', "{a:1}", "{]", "\ufeff{}"])(
		"%j is no JSON object",
		(text) => {
			expect(problemOf(text)).toMatch(/^The body is not (valid JSON(: [^{}]+)?|a JSON object)\.$/);
		},
	);

	it("counts values, and levels, and refuses one too many", () => {
		const list = (length: number): string => `{"a":[${Array.from({ length }, () => "1").join(",")}]}`;
		expect(problemOf(list(9), 10)).toBeNull();
		expect(problemOf(list(10), 10)).toMatch(/more than 10 values/);
		expect(problemOf('{"a":"[[[[,,,,{{{{"}', 2)).toBeNull();
		const deep = (levels: number): string => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
		expect(problemOf(deep(31))).toBeNull();
		expect(problemOf(deep(32))).toMatch(/deeper than 32/);
	});
});

describe("A body that no operation can need costs a fraction of what parsing it would", () => {
	const filled = (unit: string, end = ""): string =>
		`{"items":[${unit.repeat(Math.floor(1_040_000 / unit.length))}${end}`;
	const median = (work: () => void): number => {
		const times = Array.from({ length: 9 }, () => {
			const began = monotonicMs();
			work();
			return monotonicMs() - began;
		});
		return times.toSorted((a, b) => a - b)[4] ?? 0;
	};
	it.each([
		["items", filled('{"sku":"A","qty":1},', "{}]}")],
		["ones", filled("1,", "1]}")],
		["lists in lists", filled("[")],
		["unknown fields", `{${Array.from({ length: 90_000 }, (_, n) => `"k${n}":1`).join(",")}}`],
	])("%s", (_what, text) => {
		const bytes = Buffer.from(text);
		const refusing = median(() => void readJson(bytes, 2_000));
		const parsing = median(() => {
			try {
				JSON.parse(text);
			} catch {
				// lists in lists are never closed
			}
		});
		expect("problem" in readJson(bytes, 2_000)).toBe(true);
		expect(refusing).toBeLessThan(parsing / 10);
	});
});
