import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { prepared } from "./query.ts";
import {
	type ColumnsOf,
	flag,
	id,
	ids,
	int,
	json,
	nullable,
	pick,
	readerOf,
	repeated,
	sentRows,
	text,
	time,
	word,
} from "./table.ts";

interface Crate {
	readonly crateId: string;
	readonly owner: string;
	readonly kind: "box" | "bag";
	readonly label: string | null;
	readonly weight: number | null;
	readonly fragile: boolean;
	readonly parts: readonly string[];
	readonly papers: unknown;
	readonly madeAt: number;
	readonly openedAt: number | null;
}
const CRATE: ColumnsOf<Crate> = {
	crateId: id("crate_id"),
	owner: repeated(id("owner")),
	kind: word("kind"),
	label: nullable(text("label")),
	weight: nullable(int("weight")),
	fragile: flag("fragile"),
	parts: ids("parts"),
	papers: nullable(json("papers")),
	madeAt: time("made_at"),
	openedAt: nullable(time("opened_at")),
};
const reader = readerOf(CRATE);
const made = sentRows(CRATE, "place");
const insertCrates = prepared(
	"insert_crates",
	`insert into crate (${made.namesBut()}, place) select ${made.valuesBut()}, place from ${made.from}`,
);
const changed = sentRows(pick(CRATE, "crateId", "label", "parts", "papers", "openedAt"));
const updateCrates = prepared(
	"update_crates",
	`update crate c set ${changed.assignBut("crateId")}, weight = $${changed.next} from ${changed.from} where c.crate_id = n.crate_id`,
);
const selectCrates = prepared<readonly unknown[]>(
	"select_crates",
	`select 'first', ${reader.select("c", { kind: "upper(kind)" })}, place::int from crate c order by place`,
);

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
	await database.db.query(
		`create table crate (crate_id uuid primary key, owner uuid not null, kind text not null, label text, weight int,
		   fragile bool not null, parts uuid[] not null, papers jsonb, made_at timestamptz not null, opened_at timestamptz, place int)`,
	);
});
afterAll(() => database.close());

/** A time between 1970 and 2100, in whole milliseconds. */
const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
const nothingOr = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const anyText = fc.oneof(
	fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0") && value.isWellFormed()),
	fc.constantFrom("NULL", "{}", 'a "quote"', "back\\slash", "a,b", "null", ""),
);
const crates: fc.Arbitrary<Crate[]> = fc.uniqueArray(
	fc.record({
		crateId: fc.uuid(),
		owner: fc.constantFrom("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"),
		kind: fc.constantFrom("box" as const, "bag" as const),
		label: nothingOr(anyText),
		weight: nothingOr(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
		fragile: fc.boolean(),
		parts: fc.array(fc.uuid(), { maxLength: 3 }),
		papers: nothingOr(fc.record({ note: anyText, pages: fc.array(fc.nat()) })),
		madeAt: instant,
		openedAt: nothingOr(instant),
	}),
	{ selector: ({ crateId }) => crateId, minLength: 1, maxLength: 6 },
);
const read = async (): Promise<Crate[]> =>
	(await selectCrates(database.db, [])).map((row) => {
		expect([row[0], row.length]).toEqual(["first", reader.width + 2]);
		const crate = reader.decode(row, 1);
		return { ...crate, kind: crate.kind.toLowerCase() as Crate["kind"] };
	});

it("rows come back as they were sent, inserted or changed, in the order in which they were sent", () =>
	fc.assert(
		fc.asyncProperty(crates, crates, async (rows, others) => {
			await database.db.query("truncate crate");
			await insertCrates(database.db, made.parameters(rows));
			expect(await read()).toEqual(rows);
			const after = rows.map((row, n) => {
				const { label, parts, papers, openedAt } = others[n] ?? row;
				return { ...row, label, parts, papers, openedAt };
			});
			await updateCrates(database.db, [...changed.parameters(after), 7]);
			expect(await read()).toEqual(after.map((row) => ({ ...row, weight: 7 })));
		}),
		{ numRuns: 50 },
	));

it("repeated values and times are sent once, and a column without any value is not sent", () => {
	const crate = { owner: "o", madeAt: 0, openedAt: null };
	const sent = sentRows(pick(CRATE, "owner", "madeAt", "openedAt"));
	expect(sent.parameters([crate, { ...crate, madeAt: 1000 }, { ...crate, owner: "p" }])).toEqual([
		"{1,1,2}",
		"{1,2,1}",
		null,
		"{o,p}",
		"{1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z}",
	]);
});
