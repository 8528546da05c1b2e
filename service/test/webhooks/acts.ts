import { expect } from "vitest";
import { type Environment, SANDBOX_BRAND } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { PutCertificate } from "../../src/inventory/certificates/certificate-write-contract.ts";
import { CancelOperatorOrder, HoldOrder, ReleaseOrder } from "../../src/inventory/orders/admin-contract.ts";
import { QuarantineLot } from "../../src/inventory/recall/lot-admin-contract.ts";
import { LabelBox, ShipBox, VoidBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import type { ChosenEventType } from "../../src/partners/webhooks/endpoint.ts";
import { pdfOf } from "../contract/coa-world.ts";
import { unique } from "../contract/world.ts";
import { operate } from "../operate.ts";
import { type PlacedOrder, placeOrder } from "../operator/placed.ts";
import { COA_URL, INSTANT, type Stage } from "./stage.ts";

/** Who acts: a partner by a key, with the operator of the stage. */
export interface Actor {
	readonly stage: Stage;
	readonly token: string;
	readonly environment: Environment;
}

/** A SKU of the environment; a live one has units of its own. */
async function skuFor({ stage, environment }: Actor, units = 10) {
	if (environment === "sandbox") return { sku: "SBX-PLENTY", brand: SANDBOX_BRAND };
	const sku = unique("S");
	await stage.house.stock({ [sku]: units });
	return { sku, brand: null };
}

/** A new order of the actor for kits of a SKU. */
export async function placed(actor: Actor, qty = 2, sku?: string): Promise<PlacedOrder & { readonly ref: string }> {
	const { stage, token } = actor;
	const ref = unique("cart");
	const order = { sku: sku ?? (await skuFor(actor)).sku, qty, external_order_id: `shop-${ref}` };
	return { ...(await placeOrder(stage.house, token, ref, order)), ref };
}
const factsOf = (
	{ order_id, ref }: PlacedOrder & { readonly ref: string },
	order_status: string,
	order_version: number,
) => ({
	order_id,
	ref,
	external_order_id: `shop-${ref}`,
	order_status,
	order_version,
});
const boxOf = ({ shipments }: PlacedOrder): string => must(shipments[0], "a box").shipment_id;
let labels = 0;
/** A label with a tracking number of its own. */
const newLabel = () => ({
	carrier: "ups",
	service: "ground",
	tracking_number: `1Z999AA1${String(++labels).padStart(10, "0")}`,
});
type Label = ReturnType<typeof newLabel>;
const parcelOf = ({ tracking_number }: Label, shipment_id: string, combined_order_ids: readonly string[] = []) => ({
	shipment_id,
	carrier_code: "ups",
	service_code: "ground",
	tracking_number,
	tracking_url: `https://www.ups.com/track?tracknum=${tracking_number}`,
	combined_order_ids,
});

/** A change that is really made, through the API of whoever makes it, and the data of the events that follow. */
type Act = (actor: Actor) => Promise<readonly (readonly [type: ChosenEventType, data: object])[]>;

export const ACTS: { readonly [what: string]: Act } = {
	"a cancel by the partner": async (actor) => {
		const order = await placed(actor);
		const body = { reason: "changed their mind" };
		await actor.stage.house.call(actor.token, `/api/v1/orders/${order.order_id}/cancel`, { body });
		return [["order.cancelled", { ...factsOf(order, "cancelled", 2), by: "partner", detail: body.reason }]];
	},
	"a cancel by the operator": async (actor) => {
		const order = await placed(actor);
		await actor.stage.operate(CancelOperatorOrder, { id: order.order_id });
		return [["order.cancelled", { ...factsOf(order, "cancelled", 2), by: "manufacturer", detail: null }]];
	},
	"a release": async (actor) => {
		const order = await placed(actor);
		await actor.stage.operate(HoldOrder, { id: order.order_id }, { reason: "operator", detail: "a word" });
		await actor.stage.operate(ReleaseOrder, { id: order.order_id });
		const why = { reason: "operator", detail: "a word", action: "manufacturer" };
		return [
			["order.held", { ...factsOf(order, "held", 2), ...why }],
			["order.released", factsOf(order, "placed", 3)],
		];
	},
	"a label, and its void": async (actor) => {
		const [order, label] = [await placed(actor), newLabel()];
		await actor.stage.operate(LabelBox, { id: order.order_id }, label);
		await actor.stage.operate(LabelBox, { id: order.order_id }, label);
		await actor.stage.operate(VoidBox, { id: order.order_id });
		const [facts, parcel] = [factsOf(order, "placed", 1), parcelOf(label, boxOf(order))];
		return [
			["shipment.label_created", { ...facts, shipment: { ...parcel, label_created_at: INSTANT } }],
			["shipment.voided", { ...facts, shipment: { ...parcel, voided_at: INSTANT } }],
		];
	},
	"a shipment that is voided": async (actor) => {
		const [order, label] = [await placed(actor, 1), newLabel()];
		await actor.stage.operate(ShipBox, { id: order.order_id }, label);
		await actor.stage.operate(VoidBox, { id: boxOf(order) });
		const shipment = { ...parcelOf(label, boxOf(order)), voided_at: INSTANT };
		return [
			["order.shipped", expect.objectContaining({ ...factsOf(order, "shipped", 2), final: true }) as object],
			["shipment.voided", { ...factsOf(order, "placed", 3), shipment }],
		];
	},
	"the label of a box with two orders": async (actor) => {
		const [{ sku }, label] = [await skuFor(actor), newLabel()];
		const orders = [await placed(actor, 1, sku), await placed(actor, 1, sku)] as const;
		const ids = orders.map(({ order_id }) => order_id);
		await actor.stage.house.call(actor.token, "/api/v1/shipments/combine", { body: { order_refs: ids } });
		await actor.stage.operate(LabelBox, { id: orders[1].ref }, label);
		const shipment = { ...parcelOf(label, boxOf(orders[0]), ids), label_created_at: INSTANT };
		return orders.map((order) => ["shipment.label_created", { ...factsOf(order, "placed", 2), shipment }] as const);
	},
	"a quarantine of what a hold has": async (actor) => {
		const { house, operate } = actor.stage;
		const [{ sku, brand }, external_ref] = [await skuFor(actor, 3), unique("cart")];
		const body = { items: [{ sku, qty: 3 }], external_ref };
		const hold = (await house.call(actor.token, "/api/v1/reserve", { body })).json.data;
		const [fg_id] = hold.items[0].fg_ids;
		const free = "select available from lot where fg_id = $1";
		const { available } = must((await house.db.query<{ available: number }>(free, [fg_id])).rows[0], "a lot");
		await operate(QuarantineLot, { fg_id }, { units: available + 2, reason: "lab report" });
		const { reservation_token, expires_at } = hold;
		const items = [{ sku, brand_code: brand, requested_qty: 3, reserved_qty: 1 }];
		return [["hold.impaired", { reservation_token, external_ref, expires_at, items }]];
	},
};

/** A product of the environment with a published certificate, and in live a lot that it covers. */
export async function certified({ house }: Stage, environment: Environment) {
	const [slug, batch] = [environment === "live" ? unique("serum") : unique("sbx-serum"), unique("B 1")];
	const [name, code] = [`Serum "${slug}" {{x}}`, unique("F")];
	await house.importWorld({
		products: [{ slug, name }],
		...(environment === "sandbox"
			? {}
			: {
					formulas: [{ code, name: code, status: "active" }],
					skus: [{ sku: code, name: code, product: slug, kind: "single", components: [{ formula: code, per_kit: 1 }] }],
					lots: [{ formula: code, brand_code: null, batch_number: batch, units: 4 }],
				}),
	});
	const file = { name: "coa.pdf", bytes: new Uint8Array(await pdfOf(name, batch)) };
	const facts = { vial_size: null, tested_on: "2026-08-20", lab_name: "Lab", purity_pct: 99.1, status: "current" };
	const { socket } = house;
	const put = await operate({ socket }, PutCertificate, { params: { slug, batch }, body: facts, files: [file] });
	expect(put.status).toBe(201);
	const verify_url = `${COA_URL}/coa/lookup?lot=${encodeURIComponent(batch)}`;
	return { slug, batch, data: { product: { slug, name }, batch_number: batch, verify_url } };
}
