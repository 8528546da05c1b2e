import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import {
	CombineBoxes,
	GetBox,
	ListBoxes,
	ListCombinable,
	ListQueue,
} from "../../src/inventory/shipping/box-admin-contract.ts";
import { selectLoneOrders } from "../../src/inventory/shipping/list-combinable-sql.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows, placeOrder } from "./placed.ts";

const SCOPES = ["atp.reserve", "atp.orders"] as const;

let house: House;
let key: { readonly token: string };
const place = (ref: string, more = {}) => placeOrder(house, key.token, ref, more);
const data = async (...asked: Parameters<typeof operate>) => (await operate(...asked)).json.data;
const refsOf = (boxes: { orders: { ref: string }[] }[]) => boxes.map(({ orders }) => must(orders[0], "an order").ref);

beforeAll(async () => {
	house = await openHouse();
	await house.stock({ ONE: 1_000 });
	key = await house.mint({ scopes: SCOPES });
});
afterAll(() => house.close());

describe("The queue", () => {
	it("is the most urgent first, then the oldest, page by page, and of one status", async () => {
		for (const [ref, service_level] of [
			["slow", "standard"],
			["fast", "expedited"],
			["now", "overnight"],
			["slow-2", "standard"],
		] as const)
			await place(ref, { service_level, note: "Ring twice." });
		const seen: string[] = [];
		for (let query = "?limit=3"; query !== ""; ) {
			const { items, next_cursor: next } = await data(house, ListQueue, { query });
			seen.push(...refsOf(items));
			query = next === null ? "" : `?limit=3&cursor=${next}`;
		}
		expect(seen).toEqual(["now", "fast", "slow", "slow-2"]);
		const [first] = (await data(house, ListQueue, { query: "?status=awaiting_shipment&limit=1" })).items;
		expect(first).toMatchObject({ service_level: "overnight", orders: [{ note: "Ring twice.", to_pick: true }] });
		expect((await data(house, ListQueue, { query: "?status=on_hold" })).items).toEqual([]);
		expect((await operate(house, ListQueue, { query: "?brand_code=NOPE" })).status).toBe(404);
		for (const query of ["?status=shipped", "?cursor=x", `?cursor=${Buffer.from("now 1 x").toString("base64url")}`])
			expect((await operate(house, ListQueue, { query })).status, query).toBe(400);
	});
});

describe("The boxes", () => {
	it("are listed newest first, and found by order, by status and by what a person knows", async () => {
		const other = await place("found", { external_order_id: "#1001" });
		const find = async (query: string) => refsOf((await data(house, ListBoxes, { query })).items);
		expect((await find("?limit=2"))[0]).toBe("found");
		const { next_cursor: next } = await data(house, ListBoxes, { query: "?limit=1" });
		expect((await find(`?limit=1&cursor=${next}`))[0]).not.toBe("found");
		for (const query of [
			"?order=%231001",
			`?order=${other.order_id}`,
			"?q=found",
			"?q=%231001",
			"?q=1001",
			`?q=${other.order_id}`,
		])
			expect(await find(query), query).toEqual(["found"]);
		expect(await find("?q=ADA%20ex")).toContain("found");
		expect(await find("?q=nobody")).toEqual([]);
		expect(await find("?status=voided")).toEqual([]);
		expect((await operate(house, ListBoxes, { query: "?order=nobody" })).json.error.code).toBe("order_not_found");
	});

	it("are read one by one, with an ETag", async () => {
		const { shipments } = await place("read");
		const params = { id: must(shipments[0], "its box").shipment_id };
		const read = await operate(house, GetBox, { params });
		expect(read.json.data).toMatchObject({ shipment_id: params.id, orders: [{ ref: "read", status: "placed" }] });
		const headers = { "if-none-match": String(read.headers.etag) };
		expect((await operate(house, GetBox, { params, headers })).status).toBe(304);
		expect((await operate(house, GetBox, { params: { id: newId() } })).status).toBe(404);
	});
});

describe("Orders to one address", () => {
	const elsewhere = {
		name: "Bea",
		ship_to: { line1: "2 Side Road", city: "Salem", state: "OR", postal_code: "97301", country: "US" },
	};

	it("are listed together, and combined in one box, once", async () => {
		const customer = { ...elsewhere, ship_to: { ...elsewhere.ship_to, city: "SALEM " } };
		const [a, b] = [await place("a", { customer: elsewhere }), await place("b", { customer })];
		await place("c", { customer: elsewhere, service_level: "overnight" });
		await place("neighbour", { customer: { ...elsewhere, name: "Another Customer" } });
		const together = async () =>
			(await data(house, ListCombinable)).items
				.map(({ orders }: { orders: { ref: string }[] }) => orders.map(({ ref }) => ref))
				.filter((refs: string[]) => refs.includes("a"));
		expect(await together()).toEqual([["a", "b"]]);
		// however many orders are open, only the oldest are read
		const lone = async (most: number) => (await selectLoneOrders(house.db, null, most)).rows.map(({ ref }) => ref);
		expect([(await lone(10_000)).includes("b"), await lone(1)]).toEqual([true, []]);
		const before = await auditRows(house);
		const body = { order_ids: ["a", b.order_id] };
		const dry = await operate(house, CombineBoxes, { body: { ...body, dry_run: true } });
		expect(dry.json.data).toMatchObject({ dry_run: true, combined: true });
		expect([await together(), await auditRows(house)]).toEqual([[["a", "b"]], before]);
		const headers = { "idempotency-key": "combine-1" };
		const done = await operate(house, CombineBoxes, { body, headers });
		const id = must(a.shipments[0], "the box of the first").shipment_id;
		expect(done.json.data).toMatchObject({ shipment_id: id, combined: true, orders: [{ ref: "a" }, { ref: "b" }] });
		const repeated = await operate(house, CombineBoxes, { body, headers });
		expect([repeated.headers["idempotent-replayed"], repeated.json]).toEqual(["true", done.json]);
		expect((await operate(house, CombineBoxes, { body })).status).toBe(200);
		expect([await together(), await auditRows(house)]).toEqual([[], before + 1]);
		const { rows } = await house.db.query("select about, operation, status from audit_log order by seq desc limit 1");
		expect(rows).toEqual([{ about: id, operation: "combine_boxes", status: 200 }]);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("are refused together when they may not be in one box, with nothing changed", async () => {
		await place("d", { customer: elsewhere });
		const theirs = await house.mint({ scopes: SCOPES });
		await placeOrder(house, theirs.token, "theirs", { customer: elsewhere });
		const codeOf = async (...order_ids: string[]) => {
			const { status, json } = await operate(house, CombineBoxes, { body: { order_ids } });
			return [status, json.error?.code];
		};
		expect(await codeOf("d", "read")).toEqual([400, "invalid_input"]);
		expect(await codeOf("d", "theirs")).toEqual([400, "invalid_input"]);
		expect(await codeOf("d", "d")).toEqual([400, "invalid_input"]);
		expect(await codeOf("d", "nobody")).toEqual([404, "order_not_found"]);
		expect(await codeOf("d", "a")).toEqual([409, "not_possible_now"]);
	});
});
