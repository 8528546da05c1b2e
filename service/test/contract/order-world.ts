import type { Deps } from "../../src/deps.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { isRefusal, type Refusal } from "../../src/ground/lib/refusal.ts";
import type { Query } from "../../src/ground/pg/connect.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import type { CancelCommand } from "../../src/inventory/orders/cancel.ts";
import { type ChangeDeps, changeNamedBox } from "../../src/inventory/orders/change-named.ts";
import { PlaceOrder } from "../../src/inventory/orders/contract.ts";
import { findNamedBox } from "../../src/inventory/orders/find-named-box.ts";
import { findNamedOrder } from "../../src/inventory/orders/find-order.ts";
import type { HoldOrderCommand } from "../../src/inventory/orders/hold-order.ts";
import type { OrderRecord } from "../../src/inventory/orders/order-record.ts";
import type { OrderReply } from "../../src/inventory/orders/order-reply.ts";
import { type ReleaseOrderCommand, shelvesOf } from "../../src/inventory/orders/release-order.ts";
import { showOrder } from "../../src/inventory/orders/show-order.ts";
import { type Stocked, type StockedLot, unique, type World } from "./world.ts";

export const CUSTOMER = {
	name: "Ada Example",
	email: "ada@example.com",
	ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
};

/** The body of a request that places an order. */
export const orderBody = (reservation_token: string) => ({ reservation_token, customer: CUSTOMER });

/** The operator's commands on orders in tests, carried out by the service's own engine. */
export interface Warehouse {
	pick(order: OrderReply): Promise<unknown>;
	hold(order: OrderReply): Promise<unknown>;
	release(order: OrderReply): Promise<unknown>;
	/** Everything, or kits by SKU. */
	ship(orders: OrderReply | readonly OrderReply[], items?: Record<string, number>): Promise<{ shipmentId: string }>;
	void(order: OrderReply, shipmentId: string): Promise<unknown>;
}

const origin = { actor: "operator:test", requestId: null };
const named = ({ order_id, reservation_token }: OrderReply) => ({ orderId: order_id, token: reservation_token });

type Asked<Command> = Omit<Command, "orderId" | "token" | "shelves">;

/** A command on the order with this name. */
export async function changeOrder(
	{ db, deps: { engine } }: { readonly db: Query; readonly deps: Pick<Deps, "engine"> },
	name: string,
	asked: Asked<CancelCommand> | Asked<HoldOrderCommand> | Asked<ReleaseOrderCommand>,
): Promise<OrderRecord | Refusal> {
	const found = await findNamedOrder(db, name);
	if (isRefusal(found)) return found;
	const { orderId, token } = found;
	const shelves = shelvesOf((await showOrder(db, orderId)).contents);
	const answer = await engine.execute({ ...asked, orderId, token, shelves } as unknown as CancelCommand);
	return isRefusal(answer) ? answer : await showOrder(db, orderId);
}

/** Labels or ships the box with this name. */
export async function changeBox(deps: ChangeDeps, name: string, asked: Parameters<typeof changeNamedBox>[2]) {
	const found = await findNamedBox(deps.db, name);
	return isRefusal(found) ? found : await changeNamedBox(deps, found, asked);
}

export function warehouseOf({ deps: { engine } }: World): Warehouse {
	const granted = async <T>(answer: Promise<T>): Promise<Exclude<T, { refusal: unknown }>> => {
		const value = await answer;
		if (isRefusal(value)) throw new Error(`${value.refusal}: ${value.message}`);
		return value as Exclude<T, { refusal: unknown }>;
	};
	return {
		pick: (order) => granted(engine.execute({ kind: "pick", ...named(order) })),
		hold: ({ order_id: orderId }) =>
			granted(engine.execute({ kind: "holdOrder", orderId, reason: "operator", detail: "test" })),
		release: (order) => {
			const shelves = new Map(
				order.items.flatMap(({ components }) => components.map(({ formula_id }) => [formula_id, [0]] as const)),
			);
			return granted(engine.execute({ kind: "releaseOrder", origin, ...named(order), shelves }));
		},
		ship: (orders, items) =>
			granted(
				engine.execute({
					kind: "ship",
					origin,
					orders: (Array.isArray(orders) ? orders : [orders as OrderReply]).map(named),
					items: items === undefined ? null : Object.entries(items).map(([sku, qty]) => ({ sku, qty })),
					carrierCode: "ups",
					serviceCode: null,
					trackingNumber: "1Z999",
					newShipmentId: newId(),
				}),
			),
		void: (order, shipmentId) => {
			const shipment = must(
				order.shipments.find(({ shipment_id }) => shipment_id === shipmentId),
				"a shipment",
			);
			const fgIds = order.items.flatMap(({ components }) =>
				components.flatMap(({ lots }) => lots.map(({ fg_id }) => fg_id)),
			);
			return granted(
				engine.execute({
					kind: "voidShipment",
					origin,
					shipmentId: shipment.shipment_id,
					orders: [{ ...named(order), newShipmentId: newId() }],
					fgIds,
				}),
			);
		},
	};
}

/** A hold on stock of its own. */
export async function heldFor(
	world: World,
	token: string,
	{
		qty = 2,
		perKit = 1,
		lots = [{ brand: "ACME", units: 12 }],
	}: { qty?: number; perKit?: number; lots?: StockedLot[] } = {},
): Promise<Stocked & { readonly token: string }> {
	const stocked = await world.stocked(lots, perKit);
	const { data } = await world.call(Reserve, token, { items: [{ sku: stocked.sku, qty }] });
	return { ...stocked, token: data.reservation_token };
}

/** An order on stock of its own. */
export async function placedFor(world: World, token: string, options: Parameters<typeof heldFor>[2] = {}) {
	const held = await heldFor(world, token, options);
	const ref = unique("cart");
	const { data: order } = await world.call(
		PlaceOrder,
		token,
		{ reservation_token: held.token, customer: CUSTOMER },
		{ headers: { "idempotency-key": ref } },
	);
	return { ...held, ref, order };
}
