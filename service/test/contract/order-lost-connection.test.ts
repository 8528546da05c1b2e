import { afterAll, beforeAll, expect, it } from "vitest";
import { CancelOrder, CombineShipments, GetOrder } from "../../src/inventory/orders/contract.ts";
import { placedFor } from "./order-world.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let token: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	token = (await world.key({ brand: "ACME" })).token;
});
afterAll(() => world.stop());

const WAITING = `select pid from pg_stat_activity
	where datname = current_database() and application_name = 'holdfast reads' and wait_event_type = 'Lock'`;

/** Ends the connection on which a request looks up its order, as a failover does. */
async function whileLosing<T>(ask: () => Promise<T>): Promise<T> {
	const locker = await world.db.take();
	try {
		await locker.query("begin");
		await locker.query("lock table orders in access exclusive mode");
		const answer = ask();
		await expect.poll(async () => (await locker.query(WAITING)).rows.length).toBe(1);
		await locker.query(`select pg_terminate_backend(pid) from (${WAITING}) w`);
		await locker.query("commit");
		return await answer;
	} finally {
		locker.release(true);
	}
}

it("reading, cancelling and combining orders are answered although a connection is lost while the order is looked up", async () => {
	const [first, second] = [await placedFor(world, token), await placedFor(world, token)];
	const path = `/api/v1/orders/${first.ref}`;
	const read = await whileLosing(() => world.call(GetOrder, token, undefined, { path }));
	expect([read.status, read.data.ref]).toEqual([200, first.ref]);
	const refs = { order_refs: [first.ref, second.ref] };
	const combined = await whileLosing(() => world.call(CombineShipments, token, refs));
	expect(combined.status).toBe(200);
	const cancelled = await whileLosing(() => world.call(CancelOrder, token, {}, { path: `${path}/cancel` }));
	expect([cancelled.status, cancelled.data.status]).toEqual([200, "cancelled"]);
});
