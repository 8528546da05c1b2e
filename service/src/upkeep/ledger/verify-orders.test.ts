import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { placedFor, type Warehouse, warehouseOf } from "../../../test/contract/order-world.ts";
import { openWorld, unique, type World } from "../../../test/contract/world.ts";
import { recallInSteps, restoreInSteps } from "../../../test/recall-steps.ts";
import { ORDER_RULES } from "../../../test/rules-of-verify.ts";
import { writtenColumns } from "../../../test/written-columns.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { Consume, Reserve } from "../../inventory/holds/contract.ts";
import { CancelOrder, CombineShipments } from "../../inventory/orders/contract.ts";
import { type Rule, verify } from "./verify.ts";

/** The rows that the cases change by hand, and that are restored after each. */
const TABLES = ["orders", "shipment", "event", "hold", "hold_part", "shipment_epoch", "event_epoch"];
const origin = { actor: "operator:test", requestId: null };

let world: World;
let acme: string;
let warehouse: Warehouse;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	acme = (await world.key({ brand: "ACME" })).token;
	warehouse = warehouseOf(world);
	await live();
	for (const table of TABLES) await world.db.query(`create table ${table}_kept as table ${table}`);
});
afterAll(() => world.stop());

const ordered = async (ref: string, units = 12) => {
	const { order, lots } = await placedFor(world, acme, { qty: 3, lots: [{ brand: "ACME", units }] });
	await world.db.query("update orders set external_order_id = $2 where order_id = $1", [order.order_id, ref]);
	return { order, fgId: lots[0] ?? "" };
};
const recall = async (fgId: string): Promise<void> => {
	const target = { fgId };
	expect(isRefusal(await recallInSteps(world.db, { target, origin, reason: "bad" }))).toBe(false);
};

/** Orders in every state, reached in every way. */
async function live(): Promise<void> {
	await ordered("placed");
	await warehouse.pick((await ordered("picked")).order);
	await warehouse.hold((await ordered("held")).order);
	const shipped = (await ordered("shipped")).order;
	await warehouse.pick(shipped);
	await warehouse.ship(shipped);
	const partly = (await ordered("partly")).order;
	await warehouse.pick(partly);
	await warehouse.ship(partly, { [partly.items[0]?.sku ?? ""]: 1 });
	const voided = (await ordered("voided")).order;
	await warehouse.pick(voided);
	const { shipmentId } = await warehouse.ship(voided);
	await warehouse.void(voided, shipmentId);
	const cancelled = (await ordered("cancelled")).order;
	await world.call(CancelOrder, acme, {}, { path: `/api/v1/orders/${cancelled.order_id}/cancel` });
	const together = [(await ordered("first")).order, (await ordered("second")).order, (await ordered("third")).order];
	await world.call(CombineShipments, acme, { order_refs: together.map(({ order_id }) => order_id) });
	await world.call(CancelOrder, acme, {}, { path: `/api/v1/orders/${together[2]?.order_id}/cancel` });
	await warehouse.ship(together.slice(0, 2));
	await recall((await ordered("recalled")).fgId);
	const back = await ordered("restored");
	await recall(back.fgId);
	await restoreInSteps(world.db, { origin, fgId: back.fgId, units: "all", reason: "fine" });
	const gone = await ordered("recalled when it had left");
	await warehouse.ship(gone.order);
	await recall(gone.fgId);
	await consumeAndShip();
}

async function consumeAndShip(): Promise<void> {
	const { sku } = await world.stocked([{ brand: "ACME", units: 9 }]);
	const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 2 }] });
	const external_ref = unique("sale");
	await world.call(Consume, acme, { reservation_token: data.reservation_token, external_ref });
	const { rows } = await world.db.query<{ key_id: string }>("select key_id from hold where consume_ref = $1", [
		external_ref,
	]);
	const keyId = rows[0]?.key_id ?? "";
	const answer = await world.deps.engine.execute({ kind: "shipConsumed", origin, keyId, externalRef: external_ref });
	expect(isRefusal(answer)).toBe(false);
}

const order = (ref: string, column = "order_id"): string =>
	`(select ${column} from orders_kept where external_order_id = '${ref}')`;
const token = (ref: string): string => order(ref, "reservation_token");
const box = (ref: string, n = 1): string => order(ref, `shipment_ids[${n}]`);

/** The change by hand, the rules that are then violated, and a statement that undoes more than rows. */
const CASES: [string, string[], Rule[], string[]?][] = [
	[
		"an order that is gone",
		[`delete from orders where order_id = ${order("placed")}`],
		["order-hold", "order-shipment"],
	],
	[
		"an order whose hold is gone",
		[`delete from hold where reservation_token = ${token("placed")}`],
		["lot-parts", "move-without-hold", "order-hold", "part-without-hold"],
	],
	[
		"an order of another environment than its key",
		[`update orders set environment = 'sandbox' where order_id = ${order("placed")}`],
		["order-hold"],
	],
	[
		"an order of another partner than its hold",
		[`update orders set partner_id = gen_random_uuid() where order_id = ${order("placed")}`],
		["order-hold"],
	],
	[
		"a placed order with a part that is shipped",
		[`update hold_part set own_state = 'shipped' where reservation_token = ${token("placed")}`],
		["hold-shipped", "lot-parts", "order-parts", "shipment-items"],
	],
	[
		"a shipped order that says it is placed",
		[`update orders set status = 'placed', shipped_at = null where order_id = ${order("shipped")}`],
		["order-box", "order-parts"],
	],
	[
		"a cancelled order that says it is on hold",
		[
			`update orders set status = 'held', cancelled_at = null, held_at = now(), hold_reason = 'other' where order_id = ${order("cancelled")}`,
		],
		["order-box", "order-event", "order-parts"],
	],
	[
		"an order that lacks units and is not on hold",
		[`update hold_part set units = units - 1 where reservation_token = ${token("picked")}`],
		["hold-granted", "lot-parts", "order-whole"],
	],
	[
		"an open order whose box does not wait",
		[`update shipment set status = 'cancelled' where shipment_id = ${box("placed")}`],
		["order-box"],
	],
	[
		"an open order that waits in two boxes",
		[
			`update shipment set order_ids = order_ids || ${order("placed")} where shipment_id = ${box("picked")}`,
			`update orders set shipment_ids = shipment_ids || ${box("picked")} where order_id = ${order("placed")}`,
		],
		["order-box"],
	],
	[
		"a cancelled order in a box that waits",
		[`update shipment set status = 'awaiting_shipment' where shipment_id = ${box("cancelled")}`],
		["order-box"],
	],
	[
		"an order that does not know its box",
		[`update orders set shipment_ids = '{}' where order_id = ${order("placed")}`],
		["order-shipment"],
	],
	[
		"an order that names a box that does not name it",
		[`update orders set shipment_ids = shipment_ids || ${box("picked")} where order_id = ${order("placed")}`],
		["order-shipment"],
	],
	[
		"a shipped box with other units in it than were shipped",
		[`update shipment set items = jsonb_set(items, '{0,lots,0,units}', '2') where shipment_id = ${box("shipped")}`],
		["event-body", "shipment-items", "shipment-lots"],
	],
	[
		"a shipped box that was voided in its row alone",
		[`update shipment set status = 'voided', voided_at = now() where shipment_id = ${box("shipped")}`],
		["shipment-items"],
	],
	[
		"a shipment that its partner was not told of",
		[`delete from event where order_id = ${order("second")} and type = 'order.shipped'`],
		["order-event"],
	],
	[
		"a shipment that its partner was told of twice",
		[
			`insert into event select event_id || 'x', seq + 1000, partner_id, environment, type, order_id, created_at, body from event where order_id = ${order("shipped")}`,
			"update event_epoch set version = version + 2000",
		],
		["order-event"],
	],
	[
		"an order on hold that its partner was not told of",
		[`delete from event where order_id = ${order("held")} and type = 'order.held'`],
		["order-event"],
	],
	["shipments numbered beyond the last change", ["update shipment_epoch set version = 1"], ["epoch"]],
	["events numbered beyond the last change", ["update event_epoch set version = 1"], ["epoch"]],
	[
		"two boxes with one number",
		[
			"alter table shipment drop constraint shipment_modified_seq_key",
			"update shipment set modified_seq = (select min(modified_seq) from shipment) where modified_seq = (select max(modified_seq) from shipment)",
		],
		["number-twice", "wall"],
		["alter table shipment add constraint shipment_modified_seq_key unique (modified_seq)"],
	],
	[
		"two events with one number",
		[
			"alter table event drop constraint event_seq_key",
			"update event set seq = (select min(seq) from event) where seq = (select max(seq) from event)",
		],
		["number-twice", "wall"],
		["alter table event add constraint event_seq_key unique (seq)"],
	],
	[
		"a placed hold whose row says it was released",
		[`update hold set status = 'released' where reservation_token = ${token("placed")}`],
		["hold-freed", "hold-placed", "lot-parts", "order-hold"],
	],
	[
		"a cancelled order whose units were not freed",
		[`update hold_part set own_state = null where reservation_token = ${token("cancelled")}`],
		["hold-freed", "lot-parts", "order-parts"],
	],
	[
		"consumed units that are shipped in their part alone",
		[
			"update hold_part p set own_state = null from hold h where h.reservation_token = p.reservation_token and h.status = 'consumed'",
		],
		["hold-shipped", "lot-parts"],
	],
];

describe("holdfast verify, of orders", () => {
	afterEach(async () => {
		for (const table of TABLES) {
			const columns = await writtenColumns(world.db, table);
			await world.db.query(`delete from ${table}`);
			await world.db.query(`insert into ${table} (${columns}) select ${columns} from ${table}_kept`);
		}
	});
	const rulesBroken = async (): Promise<Rule[]> =>
		(await verify(world.db)).differences.map(({ rule }) => rule).toSorted();

	it("finds nothing wrong with orders in every state, recalled and restored ones, and consumed units that were shipped", async () => {
		expect((await verify(world.db)).differences).toEqual([]);
		const { rows } = await world.db.query("select distinct status from orders order by 1");
		expect(rows.map(({ status }) => status)).toEqual([
			"cancelled",
			"held",
			"partially_shipped",
			"picked",
			"placed",
			"shipped",
		]);
	});

	it.for(CASES)("names %s", async ([, tampering, broken, undo = []]) => {
		for (const statement of tampering) await world.db.query(statement);
		const found = await rulesBroken();
		for (const table of undo.length > 0 ? ["shipment", "event"] : []) await world.db.query(`delete from ${table}`);
		for (const statement of undo) await world.db.query(statement);
		expect(found).toEqual(broken.toSorted());
	});

	it("has a case for every rule of orders", () => {
		const named = new Set(CASES.flatMap(([, , broken]) => broken));
		for (const rule of ORDER_RULES) expect(named).toContain(rule);
	});
});
