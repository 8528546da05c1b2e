import { HoldfastError, type Order } from "@holdfast/partner";
import type { WebhookEvent } from "@holdfast/partner/webhooks";
import { type Sale, saleOf } from "./book.ts";
import type { Shop } from "./shop.ts";

/** What an event or a reply says about an order. */
interface News {
	/** The key that the order was placed under: the id of the sale. */
	readonly ref: string;
	readonly status: string;
	/** The higher version is the later one. */
	readonly version: number;
	readonly shipments: readonly {
		readonly shipmentId: string;
		readonly trackingNumber: string | null;
		readonly trackingUrl: string | null;
	}[];
}

/** Keeps what is new. The same news once more changes nothing. */
async function note({ book, payments }: Shop, { ref, status, version, shipments }: News): Promise<void> {
	const sale = saleOf(book, ref);
	if (sale === undefined) return; // another shop with the same key has sold it
	if (status === "cancelled") await payments.refund(ref);
	await book.change(() => {
		sale.state = "ordered";
		for (const { shipmentId, trackingNumber, trackingUrl } of shipments) {
			sale.parcels[shipmentId] = { trackingNumber, trackingUrl };
		}
		if (version > (sale.order?.version ?? 0)) sale.order = { status, version };
	});
}

export async function noteOrder(shop: Shop, order: Order): Promise<void> {
	await note(shop, { ...order, shipments: order.shipments.filter(({ status }) => status === "shipped") });
}

export async function noteEvent(shop: Shop, event: WebhookEvent): Promise<void> {
	switch (event.type) {
		case "order.shipped":
		case "order.held": {
			const { ref, orderStatus: status, orderVersion: version } = event.data;
			const shipments = event.type === "order.shipped" ? [event.data.shipment] : [];
			return await note(shop, { ref, status, version, shipments });
		}
		default: // `webhook.test`, and types that the endpoint does not ask for
	}
}

/** Reads the orders that changed: what events do not tell, or told while the shop was down. */
export async function readOrders(shop: Shop): Promise<void> {
	const { holdfast, book } = shop;
	const cursor = book.value.ordersCursor;
	const orders = holdfast.orders.list(cursor === null ? {} : { cursor });
	for await (const order of orders) await noteOrder(shop, order);
	if (orders.cursor !== cursor) await book.change((book) => (book.ordersCursor = orders.cursor));
}

/** Cancels an order and gives the money back, unless it was picked before. */
export async function cancel(shop: Shop, { id }: Sale): Promise<void> {
	const { orders } = shop.holdfast;
	const order = await orders.cancel(id).catch((error: unknown) => {
		if (error instanceof HoldfastError && error.code === "order_not_cancellable") return orders.get(id);
		throw error;
	});
	await noteOrder(shop, order);
}
