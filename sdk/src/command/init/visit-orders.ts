import type { Holdfast } from "../../client/holdfast.ts";
import type { Order } from "../../client/types.ts";
import { plural, thereAre } from "../terminal.ts";
import type { Tour } from "./tour.ts";
import { all } from "./visit-counts.ts";
import { ITEMS, newReference, TTL_MINUTES } from "./visit-holds.ts";

const CUSTOMER = {
	name: "Ada Example",
	shipTo: { line1: "1 Main Street", city: "Portland", state: "OR", postalCode: "97201", country: "US" },
};

/** Two orders in one box, which are cancelled before the sandbox picks them. */
export async function visitOrders(tour: Tour, holdfast: Holdfast): Promise<void> {
	const placed: Order[] = [];
	try {
		const first = await tour.visit(
			"orders.place",
			"Makes an order of a hold: the manufacturer picks and ships it. The Idempotency-Key makes it safe to repeat.",
			() => place(holdfast, placed),
			({ ref, status }) => `The order ${ref} is ${status}.`,
		);
		if (first === undefined) {
			return tour.skip(
				"Not tried: it needs an order.",
				"orders.get",
				"orders.list",
				"shipments.list",
				"shipments.combine",
				"orders.cancel",
			);
		}
		await tour.visit(
			"orders.get",
			"Reads an order by the key that it was placed under, or by its id.",
			() => holdfast.orders.get(first.ref),
			({ shipments }) => `It waits in ${plural(shipments.length, "box", "boxes")}.`,
		);
		await tour.visit(
			"orders.list",
			"Your orders in the order of their changes.",
			() => all(holdfast.orders.list({ limit: 500 })),
			(orders) => thereAre(orders.length, "order"),
		);
		await tour.visit(
			"shipments.list",
			"The boxes of your brand, or of one order, with tracking numbers once they leave.",
			() => all(holdfast.shipments.list({ orderRef: first.ref })),
			(boxes) => thereAre(boxes.length, "box", "boxes"),
		);
		const second = await place(holdfast, placed);
		await tour.visit(
			"shipments.combine",
			"Puts several orders for one address into one box.",
			() => holdfast.shipments.combine([first.ref, second.ref]),
			({ orders }) => `${plural(orders.length, "order")} would travel together.`,
		);
		await tour.visit(
			"orders.cancel",
			"Cancels an order that was not picked: its units are free again.",
			async () => {
				for (const { ref } of placed) await holdfast.orders.cancel(ref, { reason: "holdfast-partner init" });
			},
			() => "Both orders were cancelled.",
		);
	} finally {
		for (const { ref } of placed) {
			await tour.undo("orders.cancel", async () => {
				const { cancellable } = await holdfast.orders.get(ref);
				if (cancellable) await holdfast.orders.cancel(ref);
			});
		}
	}
}

/** Places an order. If that fails, its hold is released. */
async function place(holdfast: Holdfast, placed: Order[]): Promise<Order> {
	const hold = await holdfast.reserve({ items: ITEMS, ttlMinutes: TTL_MINUTES, externalRef: newReference() });
	try {
		const order = await holdfast.orders.place({
			token: hold.token,
			idempotencyKey: hold.externalRef,
			customer: CUSTOMER,
			note: "holdfast-partner init",
		});
		placed.push(order);
		return order;
	} catch (error) {
		await holdfast.release(hold.token);
		throw error;
	}
}
