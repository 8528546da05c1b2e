/** What operators do with orders and boxes. */
import type { Bag } from "../holds/known.ts";
import type { Chore, Command, Situation } from "../room.ts";
import { type KnownBox, type KnownOrder, ORDERS } from "./known.ts";

/** What a chore is about, as the history has it. */
export interface OrderErrand {
	readonly what: "pick" | "ship" | "void" | "hold" | "release" | "cancel";
	/** Ids of the orders that the command names. */
	readonly orders: readonly string[];
	/** The shipment that a void names; null for the others. */
	readonly shipment: string | null;
}

/** What the commands print, as far as the lab reads it. */
export interface PrintedPick {
	readonly items?: readonly { readonly order_id: string; readonly picked: boolean }[];
}
export interface PrintedBox {
	readonly shipment_id?: string;
	/** Of a file of tracking numbers: what became of each line. */
	readonly items?: readonly {
		readonly outcome?: string;
		readonly shipment_id?: string | null;
		readonly order_id: string;
	}[];
}

/** Orders that are picked by one command. */
const MOST_PICKED = 8;
/** Boxes that are shipped by one file. */
const MOST_IN_FILE = 12;
/** Of the boxes: shipped before anybody noted that they were picked. */
const SHIPPED_UNPICKED = 0.3;
/** Of the boxes that are shipped: an order with a kit, if there is one. */
const KIT_FIRST = 0.5;
/** Of the orders with two lines of one SKU that are shipped in parts: the first of the two leaves whole. */
const TWIN_WHOLE = 0.75;

type Wants = Omit<Situation, "actor">;

const aboutOrders = (what: OrderErrand["what"], orders: readonly KnownOrder[]): OrderErrand => ({
	what,
	orders: orders.map(({ orderId }) => orderId),
	shipment: null,
});

function pick({ knows, chance }: Wants): Command | null {
	const { placed, picked } = knows.of(ORDERS).warehouse;
	const orders: KnownOrder[] = [];
	for (let i = chance.between(1, MOST_PICKED); i > 0; i--) {
		const order = placed.take(chance);
		if (order !== null) orders.push(order);
	}
	if (orders.length === 0) return null;
	return {
		args: ["ship", "pick", ...orders.map(({ orderId }) => orderId), "--json"],
		about: aboutOrders("pick", orders),
		learn: (_, printed) => {
			const done = ((printed ?? {}) as PrintedPick).items ?? [];
			for (const order of orders) {
				if (done.some((item) => item.order_id === order.orderId && item.picked)) picked.put(order);
			}
		},
	};
}

function waiting(wants: Wants): KnownOrder | null {
	const { knows, chance } = wants;
	const { placed, picked } = knows.of(ORDERS).warehouse;
	const from = chance.happens(SHIPPED_UNPICKED) ? placed : picked;
	const kit = chance.happens(KIT_FIRST) ? from.find(chance, hasKit(wants)) : null;
	return kit ?? from.take(chance);
}

/**
 * Says of an order whether it has a kit, and so a line from several lots: what forgets one of them is seen here alone.
 */
function hasKit({ world }: Wants): (order: KnownOrder) => boolean {
	const kits = new Set(world.skus.filter(({ parts }) => parts.length > 1).map(({ sku }) => sku));
	return ({ lines }) => lines.some(({ sku }) => kits.has(sku));
}

function ship(wants: Wants): Command | null {
	const order = waiting(wants);
	return order && shipment(wants, order, []);
}

/**
 * An order of which several lines are of one SKU, and so of one lot: what is mixed up between them is seen here alone.
 */
function likelyTwice({ knows, chance }: Wants): KnownOrder | null {
	const { placed, picked } = knows.of(ORDERS).warehouse;
	const fits = ({ lines }: KnownOrder): boolean => new Set(lines.map(({ sku }) => sku)).size < lines.length;
	return picked.find(chance, fits) ?? placed.find(chance, fits);
}

/**
 * A part of an order; the rest goes on waiting. Of two lines of one SKU mostly the first leaves whole, so that the
 * second
 * leaves, and is voided, without it; of every other order one kit leaves.
 */
function shipPart(wants: Wants): Command | null {
	const order = likelyTwice(wants) ?? waiting(wants);
	if (order === null) return null;
	const { lines } = order;
	const twin = lines.find(({ sku }, at) => lines.slice(at + 1).some((later) => later.sku === sku));
	if (twin && wants.chance.happens(TWIN_WHOLE)) return shipment(wants, order, ["--item", `${twin.sku}=${twin.qty}`]);
	const line = lines.find(({ qty }) => qty > 1) ?? (lines.length > 1 ? lines[0] : undefined);
	return shipment(wants, order, line ? ["--item", `${line.sku}=1`] : []);
}

/** What is left of an order of which a part left. */
function shipRest(wants: Wants): Command | null {
	const { begun, rests } = wants.knows.of(ORDERS).warehouse;
	const order = begun.take(wants.chance);
	return order && shipment(wants, order, [], rests);
}

function shipment(
	{ knows }: Wants,
	order: KnownOrder,
	items: readonly string[],
	boxes: Bag<KnownBox> = knows.of(ORDERS).warehouse.shipped,
): Command {
	const orders = knows.of(ORDERS);
	const { warehouse } = orders;
	const parcel = ["--carrier", "ups", "--tracking", orders.newKey("T")];
	return {
		args: ["ship", "ship", order.orderId, ...parcel, ...items, "--json"],
		about: aboutOrders("ship", [order]),
		learn: ({ code }, printed) => {
			const { shipment_id: shipmentId } = (printed ?? {}) as PrintedBox;
			if (code === 0 && shipmentId) boxes.put({ shipmentId, orders: [order] });
			if (items.length > 0 && code === 0) warehouse.begun.put(order);
		},
	};
}

/** A file of tracking numbers for boxes that were picked. */
function shipMany({ knows, chance }: Wants): Command | null {
	const orders = knows.of(ORDERS);
	const { picked, shipped } = orders.warehouse;
	const taken: KnownOrder[] = [];
	for (let order = picked.take(chance); order !== null && taken.length < MOST_IN_FILE; order = picked.take(chance))
		taken.push(order);
	if (taken.length === 0) return null;
	const lines = taken.map(({ orderId }) => `${orderId},ups,,${orders.newKey("T")}`);
	return {
		args: ["ship", "import", "--json"],
		file: `${["order,carrier,service,tracking", ...lines].join("\n")}\n`,
		about: aboutOrders("ship", taken),
		learn: (_, printed) => {
			for (const { shipment_id: shipmentId, order_id: orderId } of ((printed ?? {}) as PrintedBox).items ?? []) {
				const order = taken.find((known) => known.orderId === orderId);
				if (shipmentId && order) shipped.put({ shipmentId, orders: [order] });
			}
		},
	};
}

function voidBox(wants: Wants): Command | null {
	const { knows, chance } = wants;
	const { shipped, rests, picked } = knows.of(ORDERS).warehouse;
	const ofKit = ({ orders }: KnownBox): boolean => orders.some(hasKit(wants));
	const box: KnownBox | null = rests.take(chance) ?? shipped.find(chance, ofKit) ?? shipped.take(chance);
	if (box === null) return null;
	const about: OrderErrand = { what: "void", orders: [], shipment: box.shipmentId };
	return {
		args: ["ship", "void", box.shipmentId, "--json"],
		about,
		learn: () => {
			for (const order of box.orders) picked.put(order);
		},
	};
}

function hold({ knows, chance }: Wants): Command | null {
	const { placed, held } = knows.of(ORDERS).warehouse;
	const order = placed.take(chance);
	return (
		order && {
			args: ["orders", "hold", order.orderId, "--json"],
			about: aboutOrders("hold", [order]),
			learn: () => held.put(order),
		}
	);
}

function release({ knows, chance }: Wants): Command | null {
	const { placed, held } = knows.of(ORDERS).warehouse;
	const order = held.take(chance);
	return (
		order && {
			args: ["orders", "release", order.orderId, "--json"],
			about: aboutOrders("release", [order]),
			learn: () => placed.put(order),
		}
	);
}

/** The partner may be cancelling it as well. */
function cancel({ knows, chance }: Wants): Command | null {
	const order = knows.of(ORDERS).warehouse.placed.take(chance);
	return (
		order && {
			args: ["orders", "cancel", order.orderId, "--reason", "the customer called", "--json"],
			about: aboutOrders("cancel", [order]),
		}
	);
}

export const ORDER_CHORES: readonly Chore[] = [
	{ name: "pick", weight: 5, build: pick },
	{ name: "ship", weight: 4, build: ship },
	{ name: "ship many", weight: 4, build: shipMany },
	{ name: "ship a part", weight: 6, build: shipPart },
	{ name: "ship the rest", weight: 6, build: shipRest },
	{ name: "void", weight: 7, build: voidBox },
	{ name: "hold an order", weight: 3, build: hold },
	{ name: "release an order", weight: 3, build: release },
	{ name: "cancel an order", weight: 1, build: cancel },
];
