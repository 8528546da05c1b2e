import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../../test/house.ts";
import { must } from "../lib/assert.ts";
import { newId } from "../lib/ids.ts";
import { listLots } from "../stock/list-lots.ts";
import { showLot } from "../stock/show-lot.ts";
import { listHolds } from "./list-holds.ts";
import { showHold } from "./show-hold.ts";

describe("What the operator sees of lots and holds", () => {
	let house: House;
	let keyId: string;
	let fgId: string;
	const tokens: string[] = [];
	const every = { keyId: null, status: null };

	beforeAll(async () => {
		house = await openHouse();
		const { lots } = await house.stock({ ONE: 10 });
		fgId = must(must(lots[0], "the lot").fg_id, "its id");
		const key = await house.mint();
		({ keyId } = key);
		for (const [qty, external_ref] of [
			[2, "first"],
			[3, "second"],
		] as const) {
			const body = { items: [{ sku: "ONE", qty }], external_ref };
			const { json } = await house.call(key.token, "/api/v1/reserve", { body });
			tokens.push(json.data.reservation_token);
		}
	});
	afterAll(() => house.close());

	it("is the newest holds first, as many as were asked for, and whether there are more", async () => {
		const list = await listHolds(house.db, every, 1);
		expect(list).toMatchObject({
			hasMore: true,
			items: [{ reservationToken: tokens[1], externalRef: "second", units: 3 }],
		});
		expect((await listHolds(house.db, every, 2)).hasMore).toBe(false);
	});

	it("is the holds of one key, and those of one status", async () => {
		expect((await listHolds(house.db, { keyId, status: "active" }, 9)).items).toHaveLength(2);
		expect((await listHolds(house.db, { keyId: newId(), status: null }, 9)).items).toEqual([]);
		expect((await listHolds(house.db, { keyId, status: "released" }, 9)).items).toEqual([]);
	});

	it("is one hold with its lines and the lots it draws from", async () => {
		const [token = ""] = tokens;
		expect(await showHold(house.db, token)).toMatchObject({
			...{ reservationToken: token, status: "active", units: 2, lines: [{ sku: "ONE", qty: 2 }] },
			parts: [{ line: 0, formula: "F-ONE", brandCode: null, fgId, batchNumber: "B1", units: 2, state: "held" }],
		});
		expect(await showHold(house.db, newId())).toMatchObject({ refusal: "not_found" });
	});

	it("calls a hold past its end expired before anything has written that down", async () => {
		const [token = ""] = tokens;
		const client = await house.db.take();
		try {
			await client.query("begin");
			await client.query("update hold set expires_at = now() - interval '1 second' where reservation_token = $1", [
				token,
			]);
			expect(await showHold(client, token)).toMatchObject({ status: "expired" });
		} finally {
			await client.query("rollback");
			client.release();
		}
	});

	it("is lots by formula, and one lot with its units in every bucket", async () => {
		const lot = { fgId, formula: "F-ONE", brandCode: null, received: 10, available: 5, held: 5, inDate: true };
		const filter = { formula: "F-ONE", brand: null, depleted: false };
		expect(await listLots(house.db, "UTC", filter, 9)).toMatchObject({ hasMore: false, items: [lot] });
		expect((await listLots(house.db, "UTC", { ...filter, brand: "SANDBOX" }, 9)).items).toEqual([]);
		expect(await showLot(house.db, "UTC", fgId)).toMatchObject(lot);
		expect(await showLot(house.db, "UTC", newId())).toMatchObject({ refusal: "not_found" });
	});
});
