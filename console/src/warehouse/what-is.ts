import { CallError, call } from "../api/call.ts";
import { findNamedOrder } from "./find-order.ts";
import { lotIn } from "./lot-code.ts";
import { nameOfOrder } from "./order-name.ts";

/**
 * Which of the things that Holdfast knows a scanned code names; `other`: none of them, so it may be a tracking number.
 */
export type Scanned =
	| { readonly kind: "order"; readonly id: string; readonly name: string }
	| { readonly kind: "batch"; readonly name: string; readonly isRecalled: boolean }
	| { readonly kind: "sku" | "other"; readonly name: string };

/** Checks whether a code is an order's, a batch's or a SKU's. @throws CallError */
export async function whatIs(code: string): Promise<Scanned> {
	const batch = lotIn(code);
	const [order, lots, isSku] = await Promise.all([findNamedOrder(code), lotsOfBatch(batch), isSkuOf(code)]);
	if (order !== null) return { kind: "order", id: order.order_id, name: nameOfOrder(order) };
	if (lots.length > 0) return { kind: "batch", name: batch, isRecalled: lots.some(isRecalled) };
	return { kind: isSku ? "sku" : "other", name: code };
}

/** Maximum number of lots read for one batch number: few pools have it. */
const MOST_LOTS = 100;

const lotsOfBatch = async (batch_number: string) =>
	(await call("list_lots", { query: { batch_number, limit: MOST_LOTS } })).items;

const isRecalled = ({ recalled_at }: { readonly recalled_at: string | null }): boolean => recalled_at !== null;

/** The batch number that a scanned code names, if a lot of it is recalled; null: none is. @throws CallError */
export async function recalledBatchIn(code: string): Promise<string | null> {
	const batch = lotIn(code);
	return (await lotsOfBatch(batch)).some(isRecalled) ? batch : null;
}

/** Whether one of these lots is recalled now. @throws CallError */
export async function isAnyRecalled(fgIds: readonly string[]): Promise<boolean> {
	const lots = await Promise.all([...new Set(fgIds)].map((fg_id) => call("get_lot", { params: { fg_id } })));
	return lots.some(isRecalled);
}

async function isSkuOf(sku: string): Promise<boolean> {
	try {
		await call("get_sku", { params: { sku } });
		return true;
	} catch (error) {
		if (error instanceof CallError && error.status === 404) return false;
		throw error;
	}
}
