import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { ShipBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { ORDERS_AT_ONCE } from "../../src/upkeep/customers/limits.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { placeOrder } from "../operator/placed.ts";
import { type Child, killAll, start, until } from "../processes/child.ts";

/*
 * A node that erases customers is killed in the middle, by SIGKILL: in a transaction in which everything is done except
 * the last lock, that of the list's numbers, which the test holds.
 */

const SCRIPT = join(import.meta.dirname, "../processes/erase-due.ts");
const DAYS = 400;
/** More than one transaction takes. */
const ORDERS = ORDERS_AT_ONCE + 30;
const AT_ONCE = 4;

let house: House;

beforeAll(async () => {
	house = await openHouse({ env: { HOLDFAST_CUSTOMER_DATA_DAYS: "0" } });
	const socket = { socket: house.socket };
	await house.stock({ ONE: ORDERS });
	const { token } = await house.mint({ scopes: ["atp.reserve", "atp.orders"] });
	let next = 0;
	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			for (let n = next++; n < ORDERS; n = next++) {
				const { order_id: id } = await placeOrder(house, token, `cart-${n}`, { qty: 1, note: `note ${n}` });
				expect((await operate(socket, ShipBox, { params: { id }, body: {} })).status).toBe(200);
			}
		}),
	);
	await house.db.query("update orders set shipped_at = shipped_at - make_interval(days => $1)", [DAYS + 1]);
}, 180_000);
afterEach(() => killAll());
afterAll(() => house.close());

const erase = (): Child => start(process.execPath, [SCRIPT, house.url, String(DAYS)]);

/** Orders without a customer, orders with everything, and all others: there must be none. */
async function counts(): Promise<readonly number[]> {
	const { rows } = await house.db.query<{ erased: number; whole: number; torn: number }>(
		`select count(*) filter (where is_erased)::int as erased, count(*) filter (where is_whole)::int as whole,
		        count(*) filter (where not is_erased and not is_whole)::int as torn
		   from (select customer_erased_at is not null and customer ->> 'name' = '' and note is null as is_erased,
		                customer_erased_at is null and customer ->> 'name' = 'Ada Example' and note is not null as is_whole
		           from orders) o`,
	);
	const { erased, whole, torn } = must(rows[0], "the counts");
	return [erased, whole, torn];
}

/** Holds the last lock of each erasure while `work` runs. */
async function whileNumbersAreLocked(work: () => Promise<void>): Promise<void> {
	const client = new pg.Client(house.url);
	await client.connect();
	await client.query("begin");
	await client.query("select from shipment_epoch for update");
	await work();
	await client.query("rollback");
	await client.end();
}

const waiting = async (): Promise<number> => {
	const { rows } = await house.db.query<{ n: number }>(
		`select count(*)::int as n from pg_stat_activity
		  where application_name = 'eraser' and datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
	);
	return must(rows[0], "a count").n;
};

describe("Nodes that erase customers", () => {
	it("are killed in the middle: every order is erased whole or not at all, and the next run goes on", async () => {
		await whileNumbersAreLocked(async () => {
			const node = erase();
			await until("it to wait", async () => (await waiting()) === 1);
			await node.kill();
			expect(await counts()).toEqual([0, ORDERS, 0]);
		});
		await until("its session to end", async () => (await waiting()) === 0);
		expect(await counts()).toEqual([0, ORDERS, 0]);
	}, 120_000);

	it("share the work: each order is erased by one of them, and nobody waits for another's batch", async () => {
		const nodes: Child[] = [];
		await whileNumbersAreLocked(async () => {
			nodes.push(erase());
			await until("the first", async () => (await waiting()) === 1);
			nodes.push(erase());
			await until("the second", async () => (await waiting()) === 2);
			await must(nodes[0], "the first").kill();
		});
		expect(await must(nodes[1], "the second").exited).toBe(0);
		// the second erased the orders that the first had not taken, and then, perhaps, those that the first left
		const last = erase();
		expect(await last.exited).toBe(0);
		expect(await counts()).toEqual([ORDERS, 0, 0]);
		expect(await verify(house.db)).toMatchObject({ ok: true, differences: [] });
		const again = erase();
		expect([await again.exited, again.lines]).toEqual([0, ["0"]]);
	}, 120_000);
});
