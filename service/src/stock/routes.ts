import { type Gate, mount } from "../http/mount.ts";
import { isRefusal } from "../lib/refusal.ts";
import { check } from "./check.ts";
import { Check, Inventory, Products } from "./contract.ts";
import { inventory } from "./inventory.ts";
import { listProducts } from "./list-products.ts";
import type { StockReader } from "./reader.ts";

export interface StockDeps {
	readonly reader: StockReader;
}

/** The operations that only look at stock. */
export function routes(gate: Gate, { reader }: StockDeps): void {
	mount(gate, Check, async ({ caller, body }) => {
		const answer = await check(reader, caller, body.items);
		return isRefusal(answer) ? answer : { status: 200, data: answer };
	});
	mount(gate, Inventory, async ({ caller, query }) => {
		const answer = await inventory(reader, caller, query);
		return isRefusal(answer) ? answer : { status: 200, data: answer };
	});
	mount(gate, Products, async ({ caller, query }) => {
		const answer = await listProducts(reader, caller, query);
		return isRefusal(answer) ? answer : { status: 200, data: answer };
	});
}
