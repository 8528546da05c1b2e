import { CallError, call } from "../api/call.ts";
import { findNamedOrder } from "./find-order.ts";
import { lotIn } from "./lot-code.ts";
import { nameOfOrder } from "./order-name.ts";

/** What a scanned code is of the things that Holdfast knows; `other`: none of them, so it may be a tracking number. */
export type Scanned =
	| { readonly kind: "order"; readonly id: string; readonly name: string }
	| { readonly kind: "batch" | "sku" | "other"; readonly name: string };

/** Looks whether a code is an order's, a batch's or a SKU's. @throws CallError */
export async function whatIs(code: string): Promise<Scanned> {
	const batch = lotIn(code);
	const [order, isBatch, isSku] = await Promise.all([findNamedOrder(code), hasBatchNumber(batch), isSkuOf(code)]);
	if (order !== null) return { kind: "order", id: order.order_id, name: nameOfOrder(order) };
	if (isBatch) return { kind: "batch", name: batch };
	return { kind: isSku ? "sku" : "other", name: code };
}

const hasBatchNumber = async (batch_number: string): Promise<boolean> =>
	(await call("list_lots", { query: { batch_number, limit: 1 } })).items.length > 0;

async function isSkuOf(sku: string): Promise<boolean> {
	try {
		await call("get_sku", { params: { sku } });
		return true;
	} catch (error) {
		if (error instanceof CallError && error.status === 404) return false;
		throw error;
	}
}
