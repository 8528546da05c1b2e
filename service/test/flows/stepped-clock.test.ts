import { afterAll, beforeAll, expect, it } from "vitest";
import { ListShipments } from "../../src/inventory/orders/contract.ts";
import { placedFor } from "../contract/order-world.ts";
import { openWorld, type World } from "../contract/world.ts";

let world: World;
let token: string;

/*
 * The database's clock steps back within a transaction: the decision reads it before the step, and the boxes take the
 * time of their list after it. A function with this behaviour replaces the clock for the service's statements.
 */
const CLOCK = `
	create schema stepped;
	create table stepped.ahead (by interval not null);
	insert into stepped.ahead values ('0');
	create function stepped.clock_timestamp() returns timestamptz language sql volatile as $$
		select pg_catalog.clock_timestamp()
		       + case when current_query() like '%take_numbers_at%' then interval '0' else (select by from stepped.ahead) end $$;
	do $$ begin execute format('alter database %I set search_path = stepped, pg_catalog, public', current_database()); end $$;
	select pg_terminate_backend(pid) from pg_stat_activity
	 where datname = current_database() and application_name like 'holdfast %'`;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	({ token } = await world.key({ brand: "ACME" }));
	await world.db.query(CLOCK);
});
afterAll(() => world.stop());

const setAhead = (by: string) => world.db.query("update stepped.ahead set by = $1::interval", [by]);

it("a reader that comes back with the largest time it saw misses no box after the clock stepped back", async () => {
	const boxes = async (since: string) =>
		(await world.call(ListShipments, token, { limit: 500, ...(since === "" ? {} : { modified_since: since }) })).data
			.items;
	await setAhead("1 hour");
	const { order: first } = await placedFor(world, token);
	await setAhead("0");
	const seen = await boxes("");
	expect(seen.map(({ orders }) => orders[0]?.order_id)).toEqual([first.order_id]);
	const largest = seen.map(({ modified_at }) => modified_at).reduce((a, b) => (a > b ? a : b));
	const { order: second } = await placedFor(world, token);
	const next = await boxes(largest);
	expect(next.map(({ orders }) => orders[0]?.order_id)).toContain(second.order_id);
});
