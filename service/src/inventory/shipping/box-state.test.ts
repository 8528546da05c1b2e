import { describe, expect, it } from "vitest";
import { boxChange, digestOf, isNews, lookAgainMs, type StoredBox } from "./box-state.ts";
import type { BoxStage, PlatformBox } from "./label-platform.ts";

const A = "01890a5d-ac96-774b-bcce-b302099a8057";
const B = "01890a5d-ac96-774b-bcce-b302099a8058";
const AT = "2026-03-02T10:00:00.000Z";

const boxOf = (change: Partial<PlatformBox> = {}): PlatformBox => ({
	platformId: "se-1",
	modifiedAt: AT,
	orderIds: [A],
	stage: "label_created",
	carrierCode: "ups",
	serviceCode: "ups_ground",
	trackingNumber: "1Z",
	trackingUrl: null,
	labelCreatedAt: AT,
	shippedAt: null,
	voidedAt: null,
	voidedNumbers: [],
	items: [{ orderId: A, sku: "S", qty: 1 }],
	otherItems: [],
	store: null,
	detail: null,
	...change,
});
const storedAs = (box: PlatformBox): StoredBox => ({
	modifiedMs: Date.parse(box.modifiedAt),
	stage: box.stage,
	digest: digestOf(box),
});

describe("News of a box", () => {
	const stored = storedAs(boxOf());
	const LATER = "2026-03-02T10:00:00.001Z";
	const EARLIER = "2026-03-02T09:59:59.999Z";

	it.for<[string, PlatformBox, boolean]>([
		["the same again", boxOf(), false],
		["a touch that changes nothing", boxOf({ modifiedAt: LATER }), false],
		["a later change", boxOf({ modifiedAt: LATER, stage: "voided" }), true],
		["a later change back", boxOf({ modifiedAt: LATER, stage: "awaiting" }), true],
		["an earlier state, seen late", boxOf({ modifiedAt: EARLIER, stage: "awaiting" }), false],
		["a scan, which modifies nothing", boxOf({ stage: "shipped" }), true],
		["a state before the label, of the same instant", boxOf({ stage: "awaiting" }), false],
		["another tracking number, of the same instant", boxOf({ trackingNumber: "2Z" }), true],
	])("%s", ([, seen, news]) => {
		expect(isNews(stored, seen)).toBe(news);
	});

	it("the first that is seen of a box is news, whatever it is", () => {
		expect(isNews({ modifiedMs: 0, stage: "awaiting", digest: "" }, boxOf({ stage: "awaiting" }))).toBe(true);
	});

	it("of a state that the orders may or may not have, the same is news again, and so is a later one, and no earlier one", () => {
		const offered = { ...stored, digest: "" };
		expect(isNews(offered, boxOf())).toBe(true);
		expect(isNews(offered, boxOf({ modifiedAt: LATER, stage: "awaiting" }))).toBe(true);
		expect(isNews(offered, boxOf({ modifiedAt: EARLIER }))).toBe(false);
		expect(isNews(offered, boxOf({ stage: "awaiting" }))).toBe(false);
	});

	it("in whatever order the states of a day are seen, and however often, the last one stays", () => {
		const stages: readonly BoxStage[] = ["awaiting", "on_hold", "awaiting", "label_created", "shipped", "voided"];
		const states = stages.map((stage, n) => boxOf({ stage, modifiedAt: new Date(Date.parse(AT) + n).toISOString() }));
		for (let shuffle = 0; shuffle < 200; shuffle++) {
			const seen = [...states, ...states].toSorted((a, b) => hash(a, shuffle) - hash(b, shuffle));
			const last = seen.reduce<PlatformBox | null>((have, next) => {
				return have === null || isNews(storedAs(have), next) ? next : have;
			}, null);
			expect(last?.stage).toBe("voided");
		}
	});
});

const hash = ({ modifiedAt }: PlatformBox, salt: number): number => (Date.parse(modifiedAt) * 31 + salt * 7919) % 13;

describe("A change", () => {
	it("tells of known orders alone", () => {
		const box = boxOf({
			orderIds: [A, B],
			items: [
				{ orderId: A, sku: "S", qty: 1 },
				{ orderId: B, sku: "S", qty: 2 },
			],
		});
		const change = boxChange(box, new Set([B]));
		expect(change).toMatchObject({ kind: "box", box: { orderIds: [B], items: [{ orderId: B, sku: "S", qty: 2 }] } });
	});

	it("that is offered again has the same id, and another one another", () => {
		const known = new Set([A]);
		expect(boxChange(boxOf(), known).changeId).toBe(boxChange(boxOf(), known).changeId);
		expect(boxChange(boxOf({ stage: "shipped" }), known).changeId).not.toBe(boxChange(boxOf(), known).changeId);
	});
});

it("a box is looked at again as long as something can happen to it, and sooner when what it said was refused", () => {
	const stages: readonly BoxStage[] = ["awaiting", "on_hold", "label_created", "shipped", "voided", "cancelled"];
	const never = stages.filter((stage) => lookAgainMs(stage, false) === null);
	expect(never).toEqual(["shipped", "cancelled"]);
	for (const stage of stages) expect(lookAgainMs(stage, true)).toBeGreaterThan(0);
});
