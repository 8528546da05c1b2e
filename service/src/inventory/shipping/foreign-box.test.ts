import { describe, expect, it } from "vitest";
import { foreignLines, foreignReports } from "./foreign-box.ts";
import type { PlatformBox } from "./label-platform.ts";

const OURS = "01890a5d-ac96-774b-bcce-b302099a8057";
const STRANGER = "01890a5d-ac96-774b-bcce-b302099a8058";
const FROM = Date.parse("2026-03-01T00:00:00Z");

const boxOf = (change: Partial<PlatformBox> = {}): PlatformBox => ({
	platformId: "se-1",
	modifiedAt: "2026-03-01T11:00:00Z",
	orderIds: [],
	stage: "awaiting",
	store: "shop",
	carrierCode: null,
	serviceCode: null,
	trackingNumber: null,
	trackingUrl: null,
	detail: null,
	labelCreatedAt: null,
	shippedAt: null,
	voidedAt: null,
	voidedNumbers: [],
	items: [],
	otherItems: [
		{
			sku: "S",
			qty: 2,
		},
	],
	...change,
});
const told = (box: PlatformBox): string[] =>
	foreignReports("shipstation", box, box.otherItems, FROM).map(({ what, report }) => `${what} ${report.reference}`);

describe("A box of another store", () => {
	it.for([
		["that waits is open", { stage: "awaiting" }, ["open se-1"]],
		["that stands still there is open: it will be shipped", { stage: "on_hold" }, ["open se-1"]],
		[
			"whose label no carrier has seen is open",
			{ stage: "label_created", labelCreatedAt: "2026-03-01T10:00:00Z" },
			["open se-1"],
		],
		[
			"that has left is open with what it had, then shipped",
			{ stage: "shipped", shippedAt: "2026-03-01T12:00:00Z" },
			["open se-1", "shipped se-1"],
		],
		["that was cancelled is let go", { stage: "cancelled" }, ["cancelled se-1"]],
		["whose label was voided is open again", { stage: "voided" }, ["open se-1"]],
		[
			"that had its label before it was followed is nothing, also when it leaves later",
			{ stage: "shipped", labelCreatedAt: "2026-02-28T23:59:59Z", shippedAt: "2026-03-02T00:00:00Z" },
			[],
		],
		[
			"that was marked as shipped before it was followed is nothing",
			{ stage: "shipped", shippedAt: "2026-02-28T00:00:00Z" },
			[],
		],
	] as const)("%s", ([, change, then]) => {
		expect(told(boxOf(change))).toEqual(then);
	});

	it("has what is of no order here: items without an order, and those of orders that another service has", () => {
		const items = [
			{ orderId: OURS, sku: "A", qty: 1 },
			{ orderId: STRANGER, sku: "B", qty: 3 },
		];
		expect(foreignLines(boxOf({ items }), new Set([OURS]))).toEqual([
			{ sku: "B", qty: 3 },
			{ sku: "S", qty: 2 },
		]);
	});
});
