/**
 * Bugs that only an exercised feature exposes: lots of a hold, voids, demand, readers by time, backups, and codes that
 * are not a valid answer.
 */
import type { Bug } from "./bug.ts";

const SHIP_PARTS = "src/inventory/orders/ship-parts.ts";
const STEPS = "src/assembly/steps.ts";
const SET_DEMAND = "src/inventory/stock/set-demand-sql.ts";

export const EXERCISE_BUGS: readonly Bug[] = [
	{
		name: "consume-of-several-parts-fails",
		says: "Every consume of a hold with two or more parts answers 500.",
		edits: [
			{
				file: "src/inventory/holds/consume.ts",
				find: "	if (!hold) return NO_HOLD;",
				replace: '	if (!hold) return NO_HOLD;\n	if (hold.parts.length > 1) throw new Error("planted");',
			},
		],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "void-to-another-line",
		says: "A void gives units back to another line of the order that has shipped some of the same lot.",
		edits: [
			{
				file: SHIP_PARTS,
				find: 'if (part.line !== line || part.fgId !== fg_id || part.state !== "shipped") continue;',
				replace: 'if (line < 0 || part.fgId !== fg_id || part.state !== "shipped") continue;',
			},
		],
		faults: [],
		minutes: 2,
	},
	{
		name: "demand-is-read-once",
		says: "Decisions never read promised demand again.",
		edits: [
			{
				file: STEPS,
				find: "const promised = demandStamp === last.stamp ? last : await settings.promised.read(tx);",
				replace: `const promised = settings.promised.first ?? (demandStamp === last.stamp ? last : await settings.promised.read(tx));
	settings.promised.first = promised;`,
			},
			{
				file: STEPS,
				find: "	readonly promised: PromisedCache;",
				replace: "	readonly promised: PromisedCache & { first?: Awaited<ReturnType<PromisedCache['read']>> };",
			},
		],
		faults: [],
		minutes: 1,
	},
	{
		name: "updated-since-in-another-zone",
		says: "The time since which products are requested is read in another time zone, so an hour of changes is not listed.",
		edits: [
			{
				file: "src/inventory/stock/list-products.ts",
				find: "Date.parse(sku.updatedAt) < updatedSince)",
				replace: "Date.parse(sku.updatedAt) < updatedSince + 3_600_000)",
			},
		],
		faults: [],
		minutes: 1.5,
	},
	{
		name: "torn-backup",
		says: "A backup reads each table as of a different moment.",
		edits: [
			{
				file: "src/upkeep/backup/sql.ts",
				find: '"begin isolation level repeatable read, read only"',
				replace: '"begin isolation level read committed, read only"',
			},
		],
		faults: [],
		minutes: 1,
	},
	{
		name: "void-forgets-a-lot",
		says: "A void gives back a line from several lots except for its last lot.",
		edits: [
			{
				file: SHIP_PARTS,
				find: "	for (const { line, lots } of items) {\n		for (const { fg_id, units } of lots) {",
				replace:
					"	for (const { line, lots } of items) {\n		for (const { fg_id, units } of lots.slice(0, Math.max(1, lots.length - 1))) {",
			},
		],
		faults: [],
		minutes: 2,
	},
	{
		name: "demand-is-not-cleared",
		says: "Clearing demand is acknowledged, but entries of 10 units or more remain.",
		edits: [
			{
				file: SET_DEMAND,
				find: '"delete from demand where reference = $1"',
				replace: '"delete from demand where reference = $1 and units < 10"',
			},
		],
		faults: [],
		minutes: 1.5,
	},
	{
		name: "no-inventory-is-a-bug",
		says: "A reserve that cannot be granted for lack of units answers 500 instead of 409.",
		edits: [
			{
				file: "src/inventory/holds/reserve.ts",
				find: '): Refusal<"no_inventory"> {\n',
				replace: '): Refusal<"no_inventory"> {\n	if (performance.now() > 0) throw new Error("planted");\n',
			},
		],
		faults: [],
		minutes: 0.5,
	},
];
