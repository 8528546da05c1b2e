import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../../../test/house.ts";
import { takeOutInSteps } from "../../../test/recall-steps.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { showLot } from "../stock/find-lot.ts";
import { listLots } from "../stock/list-lots-sql.ts";
import { listHolds } from "./list-holds-sql.ts";
import { showHold } from "./show-hold.ts";

describe("What the operator sees of lots and holds", () => {
	let house: House;
	let keyId: string;
	let fgId: string;
	const tokens: string[] = [];
	const every = { keyId: null, status: null, externalRef: null, sku: null, fgId: null };

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
		expect((await listHolds(house.db, { ...every, keyId, status: "active" }, 9)).items).toHaveLength(2);
		expect((await listHolds(house.db, { ...every, keyId: newId() }, 9)).items).toEqual([]);
		expect((await listHolds(house.db, { ...every, keyId, status: "released" }, 9)).items).toEqual([]);
	});

	it("is the holds of one reference, reserved or consumed under, of one SKU, and of one lot", async () => {
		const found = async (filter: object) =>
			(await listHolds(house.db, { ...every, ...filter }, 9)).items.map(({ reservationToken }) => reservationToken);
		expect(await found({ externalRef: "first" })).toEqual([tokens[0]]);
		expect(await found({ externalRef: "sold" })).toEqual([]);
		const { token, keyId: seller } = await house.mint({ scopes: ["atp.reserve", "atp.consume"] });
		const { lots } = await house.stock({ TWO: 9 });
		const reserved = await house.call(token, "/api/v1/reserve", {
			body: { items: [{ sku: "TWO", qty: 1 }], external_ref: "first" },
		});
		const { reservation_token } = reserved.json.data;
		const sale = { reservation_token, external_ref: "sold" };
		expect((await house.call(token, "/api/v1/consume", { body: sale })).status).toBe(200);
		expect(await found({ externalRef: "sold" })).toEqual([reservation_token]);
		expect(await found({ externalRef: "first" })).toEqual([reservation_token, tokens[0]]);
		expect(await found({ externalRef: "first", keyId: seller })).toEqual([reservation_token]);
		expect(await found({ sku: "TWO" })).toEqual([reservation_token]);
		expect(await found({ sku: "ONE" })).toEqual(tokens.toReversed());
		expect(await found({ sku: 'O"N' })).toEqual([]);
		expect(await found({ fgId: lots[0]?.fg_id })).toEqual([reservation_token]);
		expect(await found({ fgId })).toEqual(tokens.toReversed());
		expect(await found({ fgId, sku: "TWO" })).toEqual([]);
	});

	it("is the active holds that are no longer whole, as the rule of holds has it", async () => {
		const impaired = async () =>
			(await listHolds(house.db, { ...every, status: "impaired" }, 9)).items.map((hold) => [
				hold.reservationToken,
				hold.status,
				hold.impaired,
			]);
		const { token } = await house.mint({ scopes: ["atp.reserve", "atp.release"] });
		const lot = (batch_number: string, units: number, expires_on: string) => ({
			formula: "F-KIT",
			brand_code: null,
			batch_number,
			units,
			expires_on,
		});
		const { lots } = await house.importWorld({
			formulas: [{ code: "F-KIT", name: "F", status: "active" }],
			skus: [{ sku: "KIT", name: "Kit", kind: "single", components: [{ formula: "F-KIT", per_kit: 3 }] }],
			lots: [lot("K1", 6, "2090-01-01"), lot("K2", 2, "2090-01-02")],
		});
		const [first, second] = lots.map(({ fg_id }) => must(fg_id, "a lot"));
		const { json } = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "KIT", qty: 2 }] } });
		const { reservation_token } = json.data;
		const origin = { actor: "operator:test", requestId: null };
		const quarantine = (lotId: string | undefined, units: number) =>
			takeOutInSteps(house.db, {
				kind: "quarantine",
				origin,
				fgId: must(lotId, "a lot"),
				units,
				reason: "test",
			});
		expect(await quarantine(first, 2)).toMatchObject({ replaced: 2, lost: 0 });
		expect(await impaired()).toEqual([]); // picked again from the second lot
		const onLot = async (lotId: string | undefined, ofLot: "now" | "before" | null) =>
			(await listHolds(house.db, { ...every, fgId: must(lotId, "a lot"), ofLot }, 9)).items.map((hold) => [
				hold.reservationToken,
				hold.unitsOfLot,
			]);
		for (const ofLot of ["now", null] as const) {
			expect(await onLot(first, ofLot)).toEqual([[reservation_token, 4]]);
			expect(await onLot(second, ofLot)).toEqual([[reservation_token, 2]]);
		}
		expect([await onLot(first, "before"), await onLot(second, "before")]).toEqual([[], []]);
		expect(await quarantine(second, 1)).toMatchObject({ replaced: 0, lost: 1 });
		expect(await impaired()).toEqual([[reservation_token, "active", true]]);
		expect((await house.call(token, `/api/v1/holds/${reservation_token}`)).json.data.impaired).toBe(true);
		await house.call(token, "/api/v1/release", { body: { reservation_token } });
		expect(await impaired()).toEqual([]);
		expect([await onLot(first, "now"), await onLot(first, "before")]).toEqual([[], [[reservation_token, 0]]]);
	});

	it("is one hold with its lines and the lots it draws from", async () => {
		const [token = ""] = tokens;
		expect(await showHold(house.db, token)).toMatchObject({
			reservationToken: token,
			status: "active",
			units: 2,
			lines: [
				{
					sku: "ONE",
					qty: 2,
				},
			],
			parts: [
				{
					line: 0,
					formula: "F-ONE",
					brandCode: null,
					fgId,
					batchNumber: "B1",
					units: 2,
					state: "held",
				},
			],
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
