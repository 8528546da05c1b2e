import type { ReactNode } from "react";
import { useRead } from "../api/use.ts";
import { nameOfOrder } from "../warehouse/order-name.ts";
import { useOrders } from "../warehouse/orders-of.ts";
import { words } from "../words/words.ts";
import type { WorkedBox } from "./box-dialog.tsx";
import { contentsText } from "./contents.tsx";

/** The contents of a box by receiver: one line for each of its orders. */
export function WhatIsIn({ box }: { box: WorkedBox }): ReactNode {
	const { data } = useRead("get_box", { params: { id: box.shipment_id } });
	const { orders, items } = data ?? box;
	const read = useOrders(orders.map(({ order_id }) => order_id));
	return orders.map((order) => {
		const { order_id } = order;
		const customer = read.find((one) => one.order_id === order_id)?.customer.name ?? null;
		const own = contentsText(items.filter((item) => item.order_id === order_id));
		return (
			<p key={order_id} className="strong tight">
				{words.parcel.contents(nameOfOrder(order), customer, own)}
			</p>
		);
	});
}
