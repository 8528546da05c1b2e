import { CallError, call } from "../api/call.ts";

/** Maximum number of rows of one read. */
const MOST = 500;

/** The one product that has a formula of which a lot has this batch number; null: none has, or several, or no reply. */
export async function productOfBatch(batch_number: string): Promise<string | null> {
	if (batch_number === "") return null;
	try {
		const lots = await call("list_lots", { query: { batch_number, limit: MOST } });
		const formulas = [...new Set(lots.items.map(({ formula }) => formula))];
		const skus = await Promise.all(formulas.map((formula) => call("list_skus", { query: { formula, limit: MOST } })));
		const products = new Set(skus.flatMap(({ items }) => items.flatMap(({ product }) => product ?? [])));
		const [only = null] = products;
		return products.size === 1 ? only : null;
	} catch (error) {
		if (error instanceof CallError) return null; // not needed: it only saves typing
		throw error;
	}
}
