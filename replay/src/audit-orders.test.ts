import { expect, test } from "vitest";
import type { BoxAnswer, OrderAnswer } from "./answers.ts";
import { auditEvents, auditOrder, type EventSeen, toEvent } from "./audit-orders.ts";
import type { OrderFile } from "./order-file.ts";
import type { Partner } from "./partner.ts";

/** An order of 4 A and 2 B. */
const fileOf = (boxes: Record<string, Record<string, number>>, more: Partial<OrderFile> = {}): OrderFile => ({
	orderId: "o",
	token: "t",
	ref: "r",
	partner: null as unknown as Partner,
	brand: null,
	lines: [
		{ sku: "A", qty: 4 },
		{ sku: "B", qty: 2 },
	],
	cancelled: false,
	picked: false,
	releases: 0,
	boxes: new Map(Object.entries(boxes).map(([id, kits]) => [id, new Map(Object.entries(kits))])),
	...more,
});

const boxOf = (id: string, kits: Record<string, number>, shipped = true): BoxAnswer => ({
	shipment_id: id,
	status: shipped ? "shipped" : "awaiting_shipment",
	orders: [{ order_id: "o", ref: "r" }],
	items: Object.entries(kits).map(([sku, qty]) => ({
		order_id: "o",
		sku,
		qty,
		lots: [{ formula_id: sku, batch_number: `${sku}-1`, units: qty }],
	})),
	shipped_at: shipped ? "2026-01-01T00:00:00.000Z" : null,
	version: 1,
});

const orderOf = (
	status: OrderAnswer["status"],
	shipped: Record<string, number>,
	shipments: BoxAnswer[] = [],
	has: Record<string, number> = { A: 4, B: 2 },
): OrderAnswer => ({
	order_id: "o",
	ref: "r",
	external_order_id: null,
	status,
	version: 1,
	reservation_token: "t",
	hold_reason: null,
	items: Object.entries({ A: 4, B: 2 }).map(([sku, qty]) => ({
		sku,
		qty,
		shipped_qty: shipped[sku] ?? 0,
		components: [
			{
				formula_id: sku,
				units: qty,
				lots: [{ fg_id: sku, batch_number: `${sku}-1`, units: has[sku] ?? 0 }],
			},
		],
	})),
	shipments,
});

const event = (boxId: string, kits: Record<string, number>): EventSeen =>
	toEvent(
		JSON.stringify({
			type: "order.shipped",
			data: {
				order_id: "o",
				shipment: {
					shipment_id: boxId,
					items: Object.entries(kits).map(([sku, qty]) => ({
						sku,
						qty,
						lots: [{ batch_number: `${sku}-1`, units: qty }],
					})),
				},
			},
		}),
	);
const held: EventSeen = { type: "order.held", orderId: "o", boxId: null, left: null };
const audit = (events: EventSeen[], order: OrderAnswer, file: OrderFile): string[] =>
	auditEvents(events, new Map([["o", order]]), new Map([["o", file]]));

test("an order is where what was done with it leads", () => {
	expect(auditOrder(fileOf({}), orderOf("placed", {}))).toEqual([]);
	expect(auditOrder(fileOf({}, { picked: true }), orderOf("picked", {}))).toEqual([]);
	expect(auditOrder(fileOf({ b: { A: 4 } }), orderOf("partially_shipped", { A: 4 }))).toEqual([]);
	expect(auditOrder(fileOf({ b: { A: 4 }, c: { B: 2 } }), orderOf("shipped", { A: 4, B: 2 }))).toEqual([]);
	expect(auditOrder(fileOf({}, { cancelled: true }), orderOf("cancelled", {}, [], {}))).toEqual([]);
	expect(auditOrder(fileOf({}), orderOf("held", {}, [], { A: 4, B: 1 }))).toEqual([]);
});

test.each<[string, OrderFile, OrderAnswer]>([
	["picked by nobody", fileOf({}), orderOf("picked", {})],
	["shipped by nobody", fileOf({}), orderOf("shipped", { A: 4, B: 2 })],
	["cancelled by nobody", fileOf({}), orderOf("cancelled", {}, [], {})],
	["cancelled, and still open", fileOf({}, { cancelled: true }), orderOf("placed", {})],
	["shipped in full, said to be in part", fileOf({ b: { A: 4, B: 2 } }), orderOf("partially_shipped", { A: 4, B: 2 })],
	["another count of kits shipped", fileOf({ b: { A: 4 } }), orderOf("partially_shipped", { A: 3 })],
	["too few units", fileOf({}), orderOf("placed", {}, [], { A: 4, B: 1 })],
	["units of a cancelled order", fileOf({}, { cancelled: true }), orderOf("cancelled", {})],
])("%s is a fault", (_what, file, order) => {
	expect(auditOrder(file, order)).not.toEqual([]);
});

test("each box that left is told of once, with its lots", () => {
	const order = orderOf("shipped", {}, [boxOf("b", { A: 4 }), boxOf("c", { B: 2 }), boxOf("d", {}, false)]);
	const told = [event("c", { B: 2 }), event("b", { A: 4 })];
	expect(audit(told, order, fileOf({}))).toEqual([]);
	expect(audit(told.slice(1), order, fileOf({}))).toEqual(["order r: no event reports box c"]);
	expect(audit([...told, told[0] as EventSeen], order, fileOf({}))).toEqual(["order o has two events about box c"]);
	expect(audit([told[0] as EventSeen, event("b", { A: 3 })], order, fileOf({}))).toEqual([
		"order r: 4 x A: A-1 4 left, its event reports 3 x A: A-1 3",
	]);
	expect(audit([...told, event("d", {})], order, fileOf({}))).toEqual([
		"an event reports box and order d o, which never left",
	]);
});

test("parts of a kit that have one batch number are one batch to an event, however they lie in the box", () => {
	const lot = (formula_id: string, units: number) => ({ formula_id, batch_number: "RETURNS", units });
	const inBox = (lots: ReturnType<typeof lot>[]): BoxAnswer => ({
		...boxOf("b", {}),
		items: [{ order_id: "o", sku: "KIT", qty: 4, lots }],
	});
	const text = (units: number) =>
		JSON.stringify({
			type: "order.shipped",
			data: {
				order_id: "o",
				shipment: {
					shipment_id: "b",
					items: [{ sku: "KIT", qty: 4, lots: [{ batch_number: "RETURNS", units }] }],
				},
			},
		});
	const order = orderOf("shipped", {}, [inBox([lot("f", 4), lot("g", 4)])]);
	expect(audit([toEvent(text(8))], order, fileOf({}))).toEqual([]);
	expect(audit([toEvent(text(7))], order, fileOf({}))).toHaveLength(1);
});

test("each time an order was held is told once", () => {
	expect(audit([held], orderOf("held", {}), fileOf({}))).toEqual([]);
	expect(audit([held], orderOf("placed", {}), fileOf({}, { releases: 1 }))).toEqual([]);
	expect(audit([held, held], orderOf("held", {}), fileOf({}, { releases: 1 }))).toEqual([]);
	expect(audit([held], orderOf("cancelled", {}), fileOf({}))).toEqual([]);
	expect(audit([], orderOf("held", {}), fileOf({}))).toEqual(["order r: held, told 0 times"]);
	expect(audit([held, held], orderOf("held", {}), fileOf({}))).toEqual(["order r: held, told 2 times"]);
	expect(audit([held], orderOf("placed", {}), fileOf({}))).toEqual(["order r: held, told 1 times"]);
});
