import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { Check, Inventory, Products } from "../../src/inventory/stock/contract.ts";
import { executeIn } from "../execute-in.ts";
import { restockSandboxes } from "../restock-sandboxes.ts";
import { age, playerOf } from "./sandbox-world.ts";
import { openWorld, unique, type World } from "./world.ts";

let world: World;
let key: string;

beforeAll(async () => {
	world = await openWorld();
	await restockSandboxes(world.db, { timeZone: "UTC", executeIn });
	key = (await world.key({ brand: "SANDBOX" })).token;
});
afterAll(() => world.stop());

const reserve = (sku: string, qty = 1) => world.call(Reserve, key, { items: [{ sku, qty }] });
const available = async (sku: string) =>
	(await world.call(Check, key, { items: [{ sku, qty: 1 }] })).data.items[0]?.atp_qty;

describe("The test SKUs act out what they are named after (settlements, section 10)", () => {
	it("SBX-PLENTY has plenty, and the whole flow works on it", async () => {
		const { data } = await reserve("SBX-PLENTY", 5);
		expect(data.items[0]).toMatchObject({ brand_code: "SANDBOX", reserved_qty: 5, from_shared_pool: 0 });
		const external_ref = unique("sale");
		const consumed = await world.call(Consume, key, { reservation_token: data.reservation_token, external_ref });
		expect(consumed.data.consumed_units).toBe(5);
		expect((await world.call(ReverseConsume, key, { external_ref })).data.returned_units).toBe(5);
	});

	it("SBX-LOW has 3 left", async () => {
		expect(await available("SBX-LOW")).toBe(3);
		expect((await reserve("SBX-LOW", 4)).verdict).toBe("409 no_inventory");
		const { data } = await reserve("SBX-LOW", 3);
		expect((await reserve("SBX-LOW")).verdict).toBe("409 no_inventory");
		await world.call(Release, key, { reservation_token: data.reservation_token });
		expect(await available("SBX-LOW")).toBe(3);
	});

	it.each([
		["SBX-OUT", "409 no_inventory", 0],
		["SBX-KIT-SHORT", "409 no_inventory", 0],
		["SBX-EXPIRED", "409 no_inventory", 0],
		["SBX-FEE", "422 invalid_item", 0],
		["SBX-ARCHIVED", "422 invalid_item", 0],
	])("%s: reserve answers %s, check %d", async (sku, verdict, atp) => {
		expect((await reserve(sku)).verdict).toBe(verdict);
		expect(await available(sku)).toBe(atp);
	});

	it("SBX-KIT is a kit", async () => {
		const { data } = await reserve("SBX-KIT", 2);
		expect(data.items[0]?.components.length).toBeGreaterThan(1);
		expect(data.items[0]?.reserved_qty).toBe(2);
	});

	it("SBX-RETRY answers 409 retry with Retry-After, alone or among others, and holds nothing", async () => {
		const before = await available("SBX-PLENTY");
		for (const items of [
			[{ sku: "SBX-RETRY", qty: 1 }],
			[
				{ sku: "SBX-PLENTY", qty: 1 },
				{ sku: "SBX-RETRY", qty: 1 },
			],
		]) {
			const answer = await world.call(Reserve, key, { items });
			expect(answer.verdict).toBe("409 retry");
			expect(answer.header("retry-after")).toBe("1");
		}
		expect(await available("SBX-PLENTY")).toBe(before);
	});

	it("SBX-HELD is reserved like any other, and its order put on hold by the service itself", async () => {
		const player = playerOf(world, key);
		const { ref, orderId } = await player.placed("SBX-HELD");
		await age(world, 31, orderId);
		await expect.poll(async () => (await player.get(ref)).data.status).toBe("held");
	});

	it("all of them are known, and products lists those that can be sold", async () => {
		const listed = (await world.call(Products, key, {})).data.items.map(({ sku }) => sku);
		for (const sku of ["PLENTY", "LOW", "OUT", "KIT", "KIT-SHORT", "FEE", "ARCHIVED", "EXPIRED", "RETRY", "HELD"]) {
			expect((await world.call(Inventory, key, { sku: `SBX-${sku}` })).verdict).toBe("200");
			expect(listed.includes(`SBX-${sku}`)).toBe(sku !== "ARCHIVED");
		}
	});
});

describe("Restock", () => {
	it("restores the counts, leaves holds alone, and moves every unit through the ledger", async () => {
		const { data } = await reserve("SBX-LOW", 2);
		expect(await available("SBX-LOW")).toBe(1);
		await restockSandboxes(world.db, { timeZone: "UTC", executeIn });
		expect(await available("SBX-LOW")).toBe(3);
		const consumed = await world.call(Consume, key, {
			reservation_token: data.reservation_token,
			external_ref: unique("sale"),
		});
		expect(consumed.data.consumed_units).toBe(2);
		expect(await world.audit()).toEqual([]);
	});
});
