import { must } from "../../src/ground/lib/assert.ts";
import type { House } from "../house.ts";

const CUSTOMER = {
	name: "Ada Example",
	ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
};

export interface PlacedOrder {
	readonly order_id: string;
	readonly shipments: readonly { readonly shipment_id: string }[];
}

/** Places an order for kits of a SKU with this key. */
export async function placeOrder(
	house: House,
	token: string,
	ref: string,
	{ sku = "ONE", qty = 2, ...more }: { readonly [name: string]: unknown } = {},
): Promise<PlacedOrder> {
	const held = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku, qty }] } });
	const body = { reservation_token: held.json.data.reservation_token, customer: CUSTOMER, ...more };
	const { status, json } = await house.call(token, "/api/v1/orders", { body, headers: { "Idempotency-Key": ref } });
	if (status >= 300) throw new Error(`the order was not placed: ${JSON.stringify(json)}`);
	return json.data;
}

/** Rows of the audit log. */
export async function auditRows({ db }: House): Promise<number> {
	const { rows } = await db.query<{ n: number }>("select count(*)::int as n from audit_log");
	return must(rows[0], "a count").n;
}
