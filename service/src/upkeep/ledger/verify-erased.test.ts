import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { placedFor, warehouseOf } from "../../../test/contract/order-world.ts";
import { openWorld, type World } from "../../../test/contract/world.ts";
import { writtenColumns } from "../../../test/written-columns.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { CancelOrder } from "../../inventory/orders/contract.ts";
import { eraseOrders } from "../customers/erase-orders.ts";
import { type Difference, verify } from "./verify.ts";

/** Tables in which the cases plant customers' data. */
const TABLES = ["orders", "shipment", "event", "label_push"];
/** What is planted, and what no report may show. */
const PLANTED = "Ada Lovelace, ada@example.com, 1 Main Street";

let world: World;
let erased: string;
let kept: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	const { token } = await world.key({ brand: "ACME" });
	const warehouse = warehouseOf(world);
	const ended = async (): Promise<string> => {
		const { order } = await placedFor(world, token, { qty: 3, lots: [{ brand: "ACME", units: 12 }] });
		await warehouse.pick(order);
		await warehouse.ship(order);
		return order.order_id;
	};
	[erased, kept] = [await ended(), await ended()];
	const { order: cancelled } = await placedFor(world, token);
	const path = `/api/v1/orders/${cancelled.order_id}/cancel`;
	await world.call(CancelOrder, token, { reason: "She changed her mind." }, { path });
	const both = [erased, cancelled.order_id];
	await world.db.query("insert into label_push (order_id, state) select unnest($1::uuid[]), 'withdrawn'", [both]);
	await transaction(world.db, (tx) => eraseOrders(tx, both, { actor: "operator:ada", requestId: "req_1" }));
	for (const table of TABLES) await world.db.query(`create table ${table}_kept as table ${table}`);
});
afterAll(() => world.stop());

/** Drops the constraint on erased orders, which would refuse what the cases plant in the order itself. */
const WALL_DOWN = "alter table orders drop constraint if exists orders_customer_erased";
const inOrder = (column: string, value: string): string =>
	`${WALL_DOWN}; update orders set ${column} = ${value} where order_id = THE_ORDER`;
const inCustomer = (path: string): string => inOrder("customer", `jsonb_set(customer, '${path}', to_jsonb(PLANTED))`);
const inEvent = (path: string, value: string): string =>
	`update event set body = jsonb_set(body::jsonb, '${path}', ${value})::text where order_id = THE_ORDER`;

/** The place of a customer's data that was left or came back, how it is planted, and what the report names. */
const CASES: readonly (readonly [where: string, how: string, place: RegExp, field: string])[] = [
	["the name in the order", inCustomer("{name}"), /the order$/, "name"],
	["the e-mail address in the order", inCustomer("{email}"), /the order$/, "email"],
	["the phone in the order", inCustomer("{phone}"), /the order$/, "phone"],
	["the street in the order", inCustomer("{ship_to,line1}"), /the order$/, "line1"],
	["the city in the order", inCustomer("{ship_to,city}"), /the order$/, "city"],
	["the note of the order", inOrder("note", "PLANTED"), /the order$/, "note"],
	["the reason of a cancel", inOrder("cancel_reason", "PLANTED"), /the order$/, "cancel_reason"],
	[
		"the name in the order's box",
		"update shipment set items = jsonb_set(items, '{0,name}', to_jsonb(PLANTED)) where order_ids[1] = THE_ORDER",
		/box [-0-9a-f]{36}$/,
		"name",
	],
	[
		"the address in the order's box",
		"update shipment set items = items || jsonb_build_object('ship_to', jsonb_build_object('line1', PLANTED)) where order_ids[1] = THE_ORDER",
		/box [-0-9a-f]{36}$/,
		"line1",
	],
	["words in a kept event", inEvent("{data,detail}", "to_jsonb(PLANTED)"), /event evt_\w+$/, "detail"],
	[
		"the customer in a kept event",
		inEvent("{data,customer}", "jsonb_build_object('name', PLANTED, 'email', PLANTED)"),
		/event evt_\w+$/,
		"email, name",
	],
	[
		"what the label platform said of the address",
		"update label_push set detail = PLANTED where order_id = THE_ORDER",
		/what the label platform said$/,
		"detail",
	],
];

describe("holdfast verify, of orders whose customers were erased", () => {
	afterEach(async () => {
		for (const table of TABLES) {
			const columns = await writtenColumns(world.db, table);
			await world.db.query(`delete from ${table}`);
			await world.db.query(`insert into ${table} (${columns}) select ${columns} from ${table}_kept`);
		}
	});

	/** What the rule finds after a statement about one order. */
	const found = async (statement: string, order: string): Promise<Difference | undefined> => {
		await world.db.query(statement.replaceAll("THE_ORDER", `'${order}'`).replaceAll("PLANTED", `'${PLANTED}'::text`));
		return (await verify(world.db)).differences.find(({ rule }) => rule === "customer-erased");
	};

	it("finds nothing wrong after an erasure, nor in orders that keep their customers", async () => {
		expect((await verify(world.db)).differences).toEqual([]);
	});

	it.for(CASES)("names %s, and does not quote it", async ([, how, place, field]) => {
		const difference = await found(how, erased);
		expect(difference?.count).toBe(1);
		const [example] = difference?.examples ?? [];
		expect(example?.subject).toMatch(new RegExp(`^order ${erased}, ${place.source}`));
		expect(example?.found).toBe(field);
		expect(JSON.stringify(difference)).not.toContain("Ada");
	});

	it("leaves the same texts in an order that keeps its customer", async () => {
		for (const [, how] of CASES.filter(([, statement]) => !statement.startsWith(WALL_DOWN)))
			expect(await found(how, kept)).toBeUndefined();
	});
});
