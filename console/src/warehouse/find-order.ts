import { CallError, call, type DataOf } from "../api/call.ts";

/** The order that has this id, reference or partner's number; null: none has. @throws CallError */
export async function findNamedOrder(name: string): Promise<DataOf<"get_order"> | null> {
	try {
		return await call("get_order", { params: { id: name } });
	} catch (error) {
		if (error instanceof CallError && error.code === "order_not_found") return null;
		throw error;
	}
}

/**
 * The id of that order or, if none has the name, of the only order with this tracking number or text. @throws CallError
 */
export async function searchOrder(text: string): Promise<string | null> {
	const named = await findNamedOrder(text);
	if (named !== null) return named.order_id;
	const { items } = await call("list_orders", { query: { q: text, limit: 2 } });
	return items.length === 1 ? (items[0]?.order_id ?? null) : null;
}
