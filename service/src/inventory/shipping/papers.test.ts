import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CUSTOMER, changeBox, changeOrder, placedFor } from "../../../test/contract/order-world.ts";
import { openWorld, unique, type World } from "../../../test/contract/world.ts";
import { granted } from "../../../test/granted.ts";
import { readPdf } from "../../../test/read-pdf.ts";
import { newId } from "../../ground/lib/ids.ts";
import { Reserve } from "../holds/contract.ts";
import { type ChangeDeps, pickNamedOrder } from "../orders/change-named.ts";
import { CombineShipments, PlaceOrder } from "../orders/contract.ts";
import { locateLot } from "../stock/locate-lot.ts";
import { renderPackingSlip } from "./packing-slip.ts";
import { pickListOf } from "./pick-list-of.ts";
import { slipOfBox } from "./slip-of-box.ts";

const origin = { actor: "operator:test", requestId: null };
const parcel = { carrierCode: "ups", serviceCode: null, trackingNumber: "1Z" };

let world: World;
let deps: ChangeDeps;
let acme: string;

beforeAll(async () => {
	world = await openWorld();
	deps = { db: world.db, engine: world.deps.engine };
	await world.has({ brands: ["ACME", "BOLT"].map((code) => ({ code, name: `${code} & Co` })) });
	acme = (await world.key({ brand: "ACME" })).token;
});
afterAll(() => world.stop());

const textOf = async (slip: Parameters<typeof renderPackingSlip>[0]) =>
	readPdf(await renderPackingSlip(slip))
		.pages.flat()
		.join("\n");

/** An order of a kit of two formulas, the units of one of them in two lots. */
async function placedKit() {
	const [f, g, sku] = [unique("F"), unique("G"), unique("KIT")];
	const [a, b, c] = [unique("A"), unique("B"), unique("C")];
	const lot = (formula: string, batch_number: string, units: number, expires_on: string) => ({
		formula,
		brand_code: "ACME",
		batch_number,
		units,
		expires_on,
	});
	const { lots } = await world.has({
		formulas: [f, g].map((code) => ({ code, name: code, status: "active" })),
		skus: [
			{
				sku,
				name: "Evening set",
				kind: "kit",
				components: [
					{
						formula: f,
						per_kit: 1,
					},
					{
						formula: g,
						per_kit: 2,
					},
				],
			},
		],
		lots: [lot(f, a, 1, "2090-01-31"), lot(f, b, 9, "2091-01-31"), lot(g, c, 9, "2092-01-31")],
	});
	const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 2 }] });
	const ref = unique("cart");
	const body = {
		reservation_token: data.reservation_token,
		customer: CUSTOMER,
		note: "Leave it at the door.",
		external_order_id: unique("shop"),
		service_level: "expedited" as const,
	};
	const { data: order } = await world.call(PlaceOrder, acme, body, { headers: { "idempotency-key": ref } });
	return { ref, sku, order, batches: [a, b, c] as const, lots };
}

describe("A packing slip", () => {
	it("says who sends what to whom, with every batch, its units and its last day", async () => {
		const { sku, order, batches } = await placedKit();
		const { slip, shipmentId, orders } = granted(await slipOfBox(world.db, order.external_order_id ?? "", "A4"));
		expect(shipmentId).toBe(order.shipments[0]?.shipment_id);
		expect(orders).toMatchObject([{ orderId: order.order_id }]);
		expect(slip).toMatchObject({
			order: order.external_order_id,
			sender: "ACME & Co",
			serviceLevel: "expedited",
			note: "Leave it at the door.",
			paper: "A4",
			placedAt: Date.parse(order.placed_at),
			shipTo: {
				name: "Ada Example",
				city: "Portland",
				state: "OR",
				postalCode: "97201",
				country: "US",
			},
			items: [
				{
					sku,
					name: "Evening set",
					qty: 2,
					lots: [
						{
							batchNumber: batches[0],
							units: 1,
							expiresOn: "2090-01-31",
						},
						{
							batchNumber: batches[1],
							units: 1,
							expiresOn: "2091-01-31",
						},
						{
							batchNumber: batches[2],
							units: 4,
							expiresOn: "2092-01-31",
						},
					],
				},
			],
		});
		const text = await textOf(slip);
		for (const said of [
			"ACME & Co",
			"Ada Example",
			"1 Main Street",
			`Order: ${order.external_order_id}`,
			sku,
			`Batch ${batches[1]}`,
			"Leave it at the door.",
		])
			expect(text).toContain(said);
	});

	it("is of the whole box when several orders are in it, whichever of them is named", async () => {
		const place = async () => {
			const { sku, token } = await heldPlain();
			const ref = unique("cart");
			const body = { reservation_token: token, customer: CUSTOMER };
			await world.call(PlaceOrder, acme, body, { headers: { "idempotency-key": ref } });
			return { ref, sku };
		};
		const [first, second] = [await place(), await place()];
		await world.call(CombineShipments, acme, { order_refs: [first.ref, second.ref] });
		const { slip, orders } = granted(await slipOfBox(world.db, second.ref, "LETTER"));
		expect(slip.order).toBe(`${first.ref}, ${second.ref}`);
		expect(slip.items.map(({ sku }) => sku)).toEqual([first.sku, second.sku]);
		expect(orders).toHaveLength(2);
	});

	it("has what waits, then what left last, and of a cancelled order there is none", async () => {
		const { ref, sku } = await placedFor(world, acme, { qty: 3 });
		const qtyOnSlip = async () => granted(await slipOfBox(world.db, ref, "A4")).slip.items.map(({ qty }) => qty);
		granted(await changeBox(deps, ref, { kind: "ship", origin, items: [{ sku, qty: 1 }], ...parcel }));
		expect(await qtyOnSlip()).toEqual([2]);
		granted(await changeBox(deps, ref, { kind: "ship", origin, items: null, ...parcel }));
		expect(await qtyOnSlip()).toEqual([2]);
		const dropped = await placedFor(world, acme);
		granted(await changeOrder(world, dropped.ref, { kind: "cancel", origin, reason: null }));
		expect(await slipOfBox(world.db, dropped.ref, "A4")).toMatchObject({ refusal: "wrong_state" });
		expect(await slipOfBox(world.db, newId(), "A4")).toMatchObject({ refusal: "order_not_found" });
	});
});

async function heldPlain() {
	const { sku } = await world.stocked([{ brand: "ACME", units: 2 }]);
	const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 1 }] });
	return { sku, token: data.reservation_token };
}

describe("A pick list", () => {
	it("leads from lot to lot by where they lie, each with the orders it is for", async () => {
		const { ref, order, batches, lots } = await placedKit();
		const idOf = (batch: string) => lots.get(batch) ?? "";
		for (const [batch, location] of [
			[batches[0], "A-10"],
			[batches[2], "A-2"],
		] as const)
			granted(await locateLot(world.db, idOf(batch), location));
		const list = granted(await pickListOf(world.db, { names: [ref] }));
		expect(list).toMatchObject({ units: 6, orders: 1 });
		expect(list.stops.map(({ location, batchNumber, units }) => [location, batchNumber, units])).toEqual([
			["A-2", batches[2], 4],
			["A-10", batches[0], 1],
			[null, batches[1], 1],
		]);
		expect(list.stops[0]?.orders).toMatchObject([
			{ orderId: order.order_id, externalOrderId: order.external_order_id, units: 4 },
		]);
		expect(await pickListOf(world.db, { names: [ref, "nobody"] })).toMatchObject({ refusal: "order_not_found" });
	});

	it("is by default for the orders of the queue that are to be picked, and for so many boxes", async () => {
		const bolt = (await world.key({ brand: "BOLT" })).token;
		const lots = [{ brand: "BOLT", units: 2 }];
		const [first, second] = [await placedFor(world, bolt, { lots }), await placedFor(world, bolt, { lots })];
		const ordersOf = async (boxes: number) =>
			granted(await pickListOf(world.db, { boxes, brandCode: "BOLT" })).stops.flatMap(({ orders }) =>
				orders.map(({ orderId }) => orderId),
			);
		expect((await ordersOf(9)).toSorted()).toEqual([first.order.order_id, second.order.order_id].toSorted());
		expect(await ordersOf(1)).toEqual([first.order.order_id]);
		granted(await pickNamedOrder(deps, first.ref));
		expect(await ordersOf(1)).toEqual([second.order.order_id]);
	});
});
