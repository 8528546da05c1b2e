/** The operators' commands on orders and boxes. */
import type { Bag } from "../holds/known.ts";
import type { Chore, Command, Situation } from "../room.ts";
import { type KnownBox, type KnownOrder, ORDERS } from "./known.ts";

/** The subject of a chore, as recorded in the history. */
export interface OrderErrand {
	readonly what: "pick" | "ship" | "void" | "hold" | "release" | "cancel";
	/** Ids of the orders that the command names. */
	readonly orders: readonly string[];
	/** The shipment that a void names; null for the others. */
	readonly shipment: string | null;
}

/** The fields of printed documents that the lab reads. */
export interface PrintedPick {
	readonly items?: readonly { readonly order_id: string; readonly picked: boolean }[];
}
export interface PrintedBox {
	readonly shipment_id?: string;
	/** For a file of tracking numbers: the result of each line. */
	readonly items?: readonly {
		readonly outcome?: string;
		readonly shipment_id?: string | null;
		readonly order_id: string;
	}[];
}

/** Maximum number of orders picked by one command. */
const MOST_PICKED = 8;
/** Maximum number of boxes shipped by one file. */
const MOST_IN_FILE = 12;
/** Share of boxes shipped without having been marked as picked. */
const SHIPPED_UNPICKED = 0.3;
/** Probability that an order with a kit is shipped first, if there is one. */
const KIT_FIRST = 0.5;
/** Share of the partial shipments of orders with two lines of one SKU in which the whole first line leaves. */
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
 * Whether an order has a kit, and so a line from several lots: only such an order reveals that one lot was forgotten.
 */
function hasKit({ world }: Wants): (order: KnownOrder) => boolean {
	const kits = new Set(world.skus.filter(({ parts }) => parts.length > 1).map(({ sku }) => sku));
	return ({ lines }) => lines.some(({ sku }) => kits.has(sku));
}

function ship(wants: Wants): Command | null {
	const order = waiting(wants);
	return order && shipment(wants, order, []);
}

/** An order with several lines of one SKU, and so of one lot: only such an order reveals that lines are mixed up. */
function likelyTwice({ knows, chance }: Wants): KnownOrder | null {
	const { placed, picked } = knows.of(ORDERS).warehouse;
	const fits = ({ lines }: KnownOrder): boolean => new Set(lines.map(({ sku }) => sku)).size < lines.length;
	return picked.find(chance, fits) ?? placed.find(chance, fits);
}

/**
 * Ships part of an order. Of two lines of one SKU, mostly the whole first line leaves, so that the second line leaves,
 * and is voided, without it; of every other order one kit leaves.
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

/** Ships the rest of a partly shipped order. */
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

/** Ships picked boxes by a file of tracking numbers. */
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

/** Cancels an order that its partner may be cancelling too. */
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
