import type { Answer, Command } from "../../src/assembly/commands.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import type { ShipTo } from "../../src/inventory/orders/order.ts";
import { isWaiting } from "../../src/inventory/orders/shipment.ts";
import type { HoldReason } from "../../src/partners/webhooks/event.ts";
import type { PureHouse } from "./pure-house.ts";
import { POOLS, type Town } from "./town.ts";

/*
 * The part of the script language about orders. `O = acme orders H as R` names an order, `S = ship O` the box that
 * left. Every order goes to Portland unless the line names another place.
 */

export const PORTLAND: ShipTo = {
	line1: "1 Main Street",
	city: "Portland",
	state: "OR",
	postal_code: "97201",
	country: "US",
};

type Words = readonly (string | undefined)[];

/** What these lines need from the script's environment. */
interface OrderStage {
	readonly town: Town;
	readonly house: PureHouse;
	id(name: string | undefined): string;
	nameOf(id: string): string;
	/** Records a name, so that later lines can use it. */
	name(name: string): void;
}

const origin = { actor: "operator:test", requestId: null };

/** The possible lines about orders: a pattern and its effect. */
export function orderGrammar(stage: OrderStage): readonly (readonly [RegExp, (words: Words) => string])[] {
	const scene = new OrderScene(stage);
	return [
		[/^(?:(\w+) = )?(\w+) orders (\w+) as (\S+)(?: to (\w+))?(?: by (\w+))?$/, (w) => scene.place(w)],
		[/^cancel (\w+)$/, ([order]) => scene.cancel(order)],
		[/^pick (\w+)$/, ([order]) => scene.pick(order)],
		[/^hold (\w+)(?: for (\w+))?$/, (w) => scene.hold(w)],
		[/^release (\w+)$/, ([order]) => scene.release(order)],
		[/^label (\w+)$/, ([order]) => scene.label(order)],
		[/^(?:(\w+) = )?ship (\d+) (\w+) of (\w+)$/, (w) => scene.shipSome(w)],
		[/^(?:(\w+) = )?ship (\w+(?: \+ \w+)*)$/, (w) => scene.shipAll(w)],
		[/^void (\w+)$/, ([box]) => scene.void(box)],
		[/^void the label of (\w+)$/, ([order]) => scene.voidLabel(order)],
		[/^combine (\w+(?: \+ \w+)*)$/, ([orders]) => scene.combine(orders)],
		[/^order (\w+) is$/, ([order]) => scene.status(order)],
		[/^order (\w+) has$/, ([order]) => scene.contents(order)],
		[/^version of (\w+)$/, ([order]) => String(stage.house.orders.get(stage.id(order))?.version ?? "nothing")],
		[/^boxes of (\w+)$/, ([order]) => scene.boxes(order)],
		[/^told of (\w+)$/, ([order]) => scene.told(order)],
	];
}

interface Told {
	readonly reason?: string;
	readonly final?: boolean;
	readonly reservation_token?: string;
	readonly items?: readonly { readonly requested_qty: number; readonly reserved_qty: number }[];
}

function wordOf(type: string, { reason, final, items = [] }: Told): string {
	switch (type) {
		case "order.held":
			return `held for ${reason}`;
		case "order.shipped":
			return final ? "shipped" : "shipped in part";
		case "shipment.label_created":
			return "labelled";
		case "hold.impaired":
			return items.map(({ reserved_qty, requested_qty }) => `${reserved_qty} of ${requested_qty} left`).join(" and ");
		default:
			return type.replace(/^\w+\./, "");
	}
}

class OrderScene {
	readonly #stage: OrderStage;
	#count = 0;

	constructor(stage: OrderStage) {
		this.#stage = stage;
	}

	place([name = "O", key, hold, ref = "", city, level]: Words): string {
		const { town, id, name: remember } = this.#stage;
		remember(name);
		const answer = this.#run({
			kind: "place",
			origin,
			caller: town.callers[key as keyof Town["callers"]],
			token: id(hold),
			ref,
			newOrderId: id(name),
			newShipmentId: id(`box of ${name}`),
			externalOrderId: null,
			customer: { name: "Ada", ship_to: city === undefined ? PORTLAND : { ...PORTLAND, city } },
			serviceLevel: level === undefined ? "standard" : (level as "expedited"),
			note: null,
		});
		if (isRefusal(answer)) return answer.refusal;
		const { orderId, record } = answer as { orderId: string; record: unknown };
		const is = this.#stage.nameOf(orderId);
		return record === null ? `${is}, again` : `${is} has ${this.contents(is)}`;
	}

	cancel(name: string | undefined): string {
		return this.#say(this.#run({ kind: "cancel", origin, reason: null, ...this.#named(name) }), (answer) =>
			"already" in answer && answer.already ? "cancelled, again" : "cancelled",
		);
	}
	pick(name: string | undefined): string {
		return this.#say(this.#run({ kind: "pick", ...this.#named(name) }), (answer) =>
			"picked" in answer && answer.picked ? "picked" : "held instead",
		);
	}
	hold([name, reason = "operator"]: Words): string {
		const { orderId } = this.#named(name);
		const hold = { kind: "holdOrder", orderId, reason: reason as HoldReason, detail: null } as const;
		return this.#say(this.#run(hold), () => "held");
	}
	release(name: string | undefined): string {
		const { town } = this.#stage;
		const pools = [POOLS.ACME, POOLS.shared];
		const shelves = new Map(town.formulas.map(({ formulaId }) => [formulaId, pools]));
		return this.#say(this.#run({ kind: "releaseOrder", origin, ...this.#named(name), shelves }), () => "released");
	}
	label(name: string | undefined): string {
		const { orderId } = this.#named(name);
		const label = { carrierCode: "ups", serviceCode: null, trackingNumber: "1Z" };
		return this.#say(this.#run({ kind: "createLabel", orderId, ...label }), () => "labelled");
	}

	shipSome([name, qty, sku, order]: Words): string {
		return this.#ship(name, [order], [{ sku: `${this.#stage.town.name}-${sku}`, qty: Number(qty) }]);
	}
	shipAll([name, orders = ""]: Words): string {
		return this.#ship(name, orders.split(" + "), null);
	}
	/** A part that leaves gets a box of its own; a whole order leaves in the box in which it waited. */
	#ship(name = `S${++this.#count}`, orders: Words, items: { sku: string; qty: number }[] | null): string {
		const { id, name: remember } = this.#stage;
		remember(name);
		const answer = this.#run({
			kind: "ship",
			origin,
			orders: orders.map((order) => this.#named(order)),
			items,
			carrierCode: "ups",
			serviceCode: null,
			trackingNumber: "1Z",
			newShipmentId: id(name),
		});
		if (isRefusal(answer)) return answer.refusal;
		const { shipmentId } = answer as { shipmentId: string };
		this.#boxes.set(name, shipmentId);
		const { items: packed } = must(this.#stage.house.shipments.get(shipmentId), "a box");
		return (packed ?? [])
			.map(({ sku, qty, lots }) => {
				const from = lots.map(({ fg_id, units }) => `${units} of ${this.#stage.nameOf(fg_id)}`);
				return `${qty} ${sku.split("-").at(-1)} (${from.join(", ")})`;
			})
			.join(", ");
	}
	/** The boxes that left, by the names that scripts gave them. */
	readonly #boxes = new Map<string, string>();

	void(name = ""): string {
		return this.#void(this.#boxes.get(name) ?? this.#stage.id(name));
	}
	voidLabel(name: string | undefined): string {
		const { house, id } = this.#stage;
		const boxes = house.orders.get(id(name))?.shipmentIds ?? [];
		return this.#void(boxes.find((boxId) => isWaiting(must(house.shipments.get(boxId), "a box"))) ?? "no box");
	}
	#void(shipmentId: string): string {
		const { house, id } = this.#stage;
		const { orderIds, items } = house.shipments.get(shipmentId) ?? { orderIds: [], items: [] };
		const orders = orderIds.map((orderId) => {
			const { reservationToken: token } = must(house.orders.get(orderId), "an order in a box");
			return { orderId, token, newShipmentId: id(`box ${++this.#count}`) };
		});
		const fgIds = (items ?? []).flatMap(({ lots }) => lots.map(({ fg_id }) => fg_id));
		return this.#say(this.#run({ kind: "voidShipment", origin, shipmentId, orders, fgIds }), () => "voided");
	}

	combine(orders = ""): string {
		const orderIds = orders.split(" + ").map((order) => this.#named(order).orderId);
		return this.#say(this.#run({ kind: "combine", orderIds }), (answer) =>
			"already" in answer && answer.already ? "in one box, again" : "in one box",
		);
	}

	status(name: string | undefined): string {
		const order = this.#stage.house.orders.get(this.#stage.id(name));
		if (!order) return "nothing";
		return order.holdReason === null ? order.status : `${order.status}, ${order.holdReason}`;
	}
	contents(name: string | undefined): string {
		const order = this.#stage.house.orders.get(this.#stage.id(name));
		const parts = this.#stage.house.holds.get(order?.reservationToken ?? "")?.parts ?? [];
		const words = parts.flatMap(({ state, units, fgId }) => {
			const lot = this.#stage.nameOf(fgId);
			if (state === "allocated") return [`${units} of ${lot}`];
			return state === "shipped" ? [`${units} of ${lot} shipped`] : [];
		});
		return words.join(", ") || "nothing";
	}
	boxes(name: string | undefined): string {
		const { house, id, nameOf } = this.#stage;
		const boxes = house.orders.get(id(name))?.shipmentIds ?? [];
		const said = boxes.map((boxId) => {
			const { status, orderIds } = must(house.shipments.get(boxId), "a box");
			return orderIds.length > 1 ? `${status} with ${orderIds.map(nameOf).join(" + ")}` : status;
		});
		return said.join(", ") || "none";
	}
	/** The events about an order or a hold. */
	told(name: string | undefined): string {
		const id = this.#stage.id(name);
		const words = this.#stage.house.events.flatMap(({ type, orderId, body }) => {
			const { data } = JSON.parse(body) as { data: Told };
			return (orderId ?? data.reservation_token) === id ? [wordOf(type, data)] : [];
		});
		return words.join(", ") || "nothing";
	}

	#named(name: string | undefined): { orderId: string; token: string } {
		const orderId = this.#stage.id(name);
		return { orderId, token: this.#stage.house.orders.get(orderId)?.reservationToken ?? this.#stage.id("no hold") };
	}
	#run(command: Command): Answer {
		return this.#stage.house.run(command).answer;
	}
	#say(answer: Answer, granted: (answer: object) => string): string {
		return isRefusal(answer) ? answer.refusal : granted(answer);
	}
}
