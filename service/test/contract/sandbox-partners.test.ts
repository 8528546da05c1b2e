import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import { ListOwnOrders, ListShipments } from "../../src/inventory/orders/contract.ts";
import { ReserveCache } from "../../src/inventory/prepaid/contract.ts";
import { Inventory, Receipts, Summary } from "../../src/inventory/stock/contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { openSandboxWorld, type Player, playerOf } from "./sandbox-world.ts";
import { unique, type World } from "./world.ts";

/* Two partners test at the same time, each in its own sandbox. */

let world: World;
let [mine, other]: readonly [mine: string, other: string] = ["", ""];
let player: Player;

beforeAll(async () => {
	world = await openSandboxWorld();
	mine = (await world.key({ brand: "SANDBOX" })).token;
	other = (await world.key({ brand: "SANDBOX" })).token;
	player = playerOf(world, mine);
});
afterAll(() => world.stop());

const summaryOf = async (key: string) => (await world.call(Summary, key, { limit: 500 })).data.items;

describe("What one partner does in its sandbox, another sees nowhere", () => {
	it("in its counts", async () => {
		const seen = async () => (await world.call(Inventory, other, { sku: "SBX-LOW" })).data.totals;
		const before = await seen();
		expect(before).toMatchObject({ on_hand: 3, atp: 3 });
		await player.hold("SBX-LOW", 3);
		expect(await seen()).toEqual(before);
		expect((await world.call(Reserve, mine, { items: [{ sku: "SBX-LOW", qty: 1 }] })).verdict).toBe("409 no_inventory");
	});

	it("in its lists of boxes and orders", async () => {
		const { orderId } = await player.placed();
		expect((await world.call(ListShipments, mine, { limit: 500 })).text).toContain(orderId);
		expect((await world.call(ListShipments, other, { limit: 500 })).data.items).toEqual([]);
		expect((await world.call(ListOwnOrders, other, { limit: 500 })).data.items).toEqual([]);
	});

	it("in its receipts", async () => {
		const idsOf = async (key: string) =>
			(await world.call(Receipts, key, { limit: 500 })).data.items.map(({ receipt_id }) => receipt_id);
		const [ours, theirs] = [await idsOf(mine), await idsOf(other)];
		expect(ours.length).toBeGreaterThan(0);
		expect(theirs).toHaveLength(ours.length);
		expect(theirs.filter((id) => ours.includes(id))).toEqual([]);
	});

	it("in its mirror of prepaid units", async () => {
		const [{ formula_id } = { formula_id: "" }] = await summaryOf(mine);
		const items = [{ formula_id, prepaid_units: 9 }];
		const pushed = { brand_code: "SANDBOX", sequence: 7, as_of: "2026-09-06T12:00:00Z", items };
		expect((await world.call(ReserveCache, mine, pushed)).data).toMatchObject({ applied: true });
		expect((await summaryOf(other)).map(({ prepaid_units }) => prepaid_units)).not.toContain(9);
		const first = { ...pushed, sequence: 1, items: [] };
		expect((await world.call(ReserveCache, other, first)).data).toMatchObject({ applied: true, replaced: 0 });
		expect((await summaryOf(mine)).map(({ prepaid_units }) => prepaid_units)).toContain(9);
	});
});

describe("A sandbox", () => {
	it("is stocked as soon as its key exists, with the figures of the contract", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		const { data } = await world.call(Inventory, token, { sku: "SBX-LOW" });
		expect(data.by_brand).toEqual([{ brand_code: "SANDBOX", on_hand: 3, reserved: 0, atp: 3 }]);
	});

	it("has a copy of each lot that the operator has in the brand SANDBOX", async () => {
		const { code } = await world.stocked([{ brand: "SANDBOX", units: 12, expires: world.day(30) }]);
		const sku = unique("SBX-OWN");
		await world.has({ skus: [{ sku, name: sku, kind: "single", components: [{ formula: code, per_kit: 1 }] }] });
		for (const key of [(await world.key({ brand: "SANDBOX" })).token, (await world.key({ brand: "SANDBOX" })).token]) {
			expect((await world.call(Reserve, key, { items: [{ sku, qty: 12 }] })).status).toBe(201);
		}
		const [item] = (await world.call(Inventory, mine, { sku })).data.by_brand;
		expect(must(item, "the sandbox").atp).toBe(0); // until the next restock
	});

	it("leaves the ledger in order", async () => {
		expect(await world.audit()).toEqual([]);
		expect((await verify(world.db)).differences).toEqual([]);
	});
});
