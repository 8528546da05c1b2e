/** What a person calls an order: its partner's own id, else its reference. */
export const nameOfOrder = (order: {
	readonly ref: string | null;
	readonly external_order_id: string | null;
}): string => order.external_order_id ?? order.ref ?? "";

/** The names of several orders. */
export const namesOfOrders = (orders: readonly Parameters<typeof nameOfOrder>[0][]): string =>
	orders.map(nameOfOrder).join(", ");
