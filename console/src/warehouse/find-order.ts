import { CallError, call } from "../api/call.ts";

/** The id of the order that has this id, reference or number of its partner; null: none has. @throws CallError */
export async function findNamedOrder(name: string): Promise<string | null> {
	try {
		return (await call("get_order", { params: { id: name } })).order_id;
	} catch (error) {
		if (error instanceof CallError && error.code === "order_not_found") return null;
		throw error;
	}
}

/** The same; if none has the name, the only order with this tracking number or text. @throws CallError */
export async function searchOrder(text: string): Promise<string | null> {
	const named = await findNamedOrder(text);
	if (named !== null) return named;
	const { items } = await call("list_orders", { query: { q: text, limit: 2 } });
	return items.length === 1 ? (items[0]?.order_id ?? null) : null;
}
