import type { Command } from "../../src/assembly/commands.ts";
import { PORTLAND } from "./script-orders.ts";
import type { Names, Step } from "./steps.ts";
import { POOLS, type Town } from "./town.ts";

/** A step that concerns orders. */
export type OrderStep = Extract<
	Step,
	{
		readonly do: "place" | "cancel" | "pick" | "hold order" | "release order" | "label" | "ship" | "void" | "combine";
	}
>;

const origin = { actor: "operator:test", requestId: null };
const LABEL = { carrierCode: "ups", serviceCode: null, trackingNumber: "1Z" };

/** The engine's command; null: none, because fewer than two orders cannot be combined. */
export function toOrderCommand(town: Town, names: Names, at: number, of: OrderStep): Command | null {
	switch (of.do) {
		case "place": {
			const token = names.token(of.hold);
			const newOrderId = town.id(`order ${at}`);
			names.orders.push({ orderId: newOrderId, token });
			return {
				kind: "place",
				origin,
				caller: town.callers[of.key],
				token,
				ref: of.ref,
				newOrderId,
				newShipmentId: town.id(`box ${at}`),
				externalOrderId: null,
				note: null,
				serviceLevel: "standard",
				customer: {
					name: "Ada",
					ship_to: {
						...PORTLAND,
						city: of.city,
					},
				},
			};
		}
		case "cancel":
			return { kind: "cancel", origin, reason: null, ...names.order(of.order) };
		case "pick":
			return { kind: "pick", ...names.order(of.order) };
		case "hold order":
			return { kind: "holdOrder", orderId: names.order(of.order).orderId, reason: "operator", detail: null };
		case "release order": {
			const pools = Object.values(POOLS);
			const shelves = new Map(town.formulas.map(({ formulaId }) => [formulaId, pools]));
			return { kind: "releaseOrder", origin, ...names.order(of.order), shelves };
		}
		case "label":
			return { kind: "createLabel", orderId: names.order(of.order).orderId, ...LABEL };
		case "ship": {
			const orders = names.distinct(of.orders).map(names.order);
			const items = of.items === null ? null : [{ ...of.items, sku: `${town.name}-${of.items.sku}` }];
			return { kind: "ship", origin, orders, items, ...LABEL, newShipmentId: town.id(`parcel ${at}`) };
		}
		case "void": {
			const { shipmentId, orderIds } = names.parcel(of.parcel);
			const orders = orderIds.flatMap((orderId, i) => {
				const order = names.orders.find((known) => known.orderId === orderId);
				return order ? [{ ...order, newShipmentId: town.id(`box again ${at} ${i}`) }] : [];
			});
			return { kind: "voidShipment", origin, shipmentId, orders, fgIds: names.lots };
		}
		case "combine": {
			const orderIds = names.distinct(of.orders).map((n) => names.order(n).orderId);
			return orderIds.length < 2 ? null : { kind: "combine", orderIds };
		}
	}
}
