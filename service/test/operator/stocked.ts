import { must } from "../../src/ground/lib/assert.ts";
import type { House } from "../house.ts";

let batches = 0;

/** A SKU of one formula with a bad lot, the first to expire, and a good one. */
export async function stockedIn(house: House, bad: number, good: number) {
	const n = ++batches;
	const [formula, sku, batch] = [`F${n}`, `S${n}`, `BAD-${n}`];
	const lot = { formula, brand_code: null };
	const { lots } = await house.importWorld({
		formulas: [{ code: formula, name: formula, status: "active" }],
		skus: [{ sku, name: sku, kind: "single", components: [{ formula, per_kit: 1 }] }],
		lots: [
			{ ...lot, batch_number: batch, units: bad, expires_on: "2090-01-31" },
			...(good === 0 ? [] : [{ ...lot, batch_number: `GOOD-${n}`, units: good, expires_on: "2090-02-28" }]),
		],
	});
	return { sku, batch, fg_id: must(lots[0]?.fg_id, "a lot") };
}
