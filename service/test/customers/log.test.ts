import { afterAll, beforeAll, expect, it } from "vitest";
import { SANDBOX_BRAND, SCOPES } from "../../src/glossary.ts";
import { EraseCustomers } from "../../src/upkeep/customers/admin-contract.ts";
import { clearDueLogs } from "../../src/upkeep/customers/clear-log.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { customerOf, newWord } from "./marked-customer.ts";
import { columnsWith } from "./search-database.ts";

/* Bodies of the sandbox's log that have the data of customers who are erased. */

let house: House;

beforeAll(async () => {
	house = await openHouse();
	await house.stock({ ONE: 10 });
}, 60_000);
afterAll(() => house.close());

const sandboxKey = (partner: string) =>
	house.mint({ partner, scopes: SCOPES, environment: "sandbox", brandCode: SANDBOX_BRAND, sharedPool: false });

/** Places an order and cancels it. Returns its ids. */
async function placeAndCancel(token: string, sku: string, mark: string) {
	const held = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku, qty: 1 }] } });
	const reservation_token = held.json.data.reservation_token as string;
	const ref = newWord();
	const headers = { "Idempotency-Key": ref };
	const body = { reservation_token, customer: customerOf(mark) };
	const { json } = await house.call(token, "/api/v1/orders", { body, headers });
	const cancel = await house.call(token, `/api/v1/orders/${ref}/cancel`, { body: { reason: "as it was asked" } });
	expect(cancel.status).toBe(200);
	return { orderId: json.data.order_id as string, reservation_token };
}

/** Sends an order that is refused, and waits until the log has it. */
async function tryToPlace(token: string, mark: string, reservation_token: string): Promise<void> {
	const body = { reservation_token, customer: customerOf(mark) };
	await house.call(token, "/api/v1/orders", { body, headers: { "Idempotency-Key": newWord() } });
	await until("the log", async () =>
		(await columnsWith(house.db, mark)).some((column) => column.startsWith("request_log")),
	);
}

it("An erasure by address clears the logs of all sandbox keys, also if its only orders are live", async () => {
	const mark = newWord();
	await placeAndCancel((await house.mint({ scopes: SCOPES })).token, "ONE", mark);
	await tryToPlace((await sandboxKey("Somebody Else")).token, mark, "0199f0a0-3333-7000-8000-00000000dead");
	const erased = await operate(house, EraseCustomers, { body: { customer_email: `${mark}@example.com` } });
	expect(erased.json.data).toMatchObject({ erased: 1 });
	expect(await columnsWith(house.db, mark)).toEqual([]);
});

it("A search of the log that takes longer than a run of the task is continued by the next run", async () => {
	const mark = newWord();
	const [first, second] = [await sandboxKey("Two Keys"), await sandboxKey("Two Keys")];
	const { orderId, reservation_token } = await placeAndCancel(first.token, "SBX-PLENTY", mark);
	await operate(house, EraseCustomers, { body: { order: orderId } });
	await tryToPlace(second.token, mark, reservation_token);
	await house.db.query("update customer_erasure set log_due_at = now() - interval '1 second' where order_id = $1", [
		orderId,
	]);
	const due = async () =>
		(await house.db.query("select from customer_erasure where order_id = $1 and log_due_at is not null", [orderId]))
			.rows;
	for (let runs = 0; runs < 5 && (await due()).length > 0; runs++) await clearDueLogs(house.db, afterOneStep());
	expect([await due(), await columnsWith(house.db, mark)]).toEqual([[], []]);
});

/** The signal of a run that is over when it has searched once. */
function afterOneStep(): AbortSignal {
	let asked = 0;
	return {
		get aborted() {
			return asked++ > 1;
		},
	} as AbortSignal;
}
