import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../../../test/house.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { listMoves } from "./list-moves.ts";

describe("The history of stock", () => {
	let house: House;
	let pk: string;
	const lots: string[] = [];
	let hold: string;
	const origin = { actor: "operator:test", requestId: null };

	beforeAll(async () => {
		house = await openHouse();
		const lot = (brand_code: string | null, batch_number: string) => ({
			formula: "F",
			brand_code,
			batch_number,
			units: 9,
		});
		const made = await house.importWorld({
			brands: [{ code: "ACME", name: "Acme" }],
			formulas: ["F", "G"].map((code) => ({ code, name: code, status: "active" })),
			skus: [{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
			lots: [lot("ACME", "A1"), lot(null, "S1"), { formula: "G", brand_code: null, batch_number: "G1", units: 1 }],
		});
		lots.push(...made.lots.map(({ fg_id }) => must(fg_id, "a lot")));
		const key = await house.mint({ brandCode: "ACME", scopes: ["atp.reserve", "atp.release"] });
		({ pk } = key);
		const { json } = await house.call(key.token, "/api/v1/reserve", { body: { items: [{ sku: "ONE", qty: 10 }] } });
		hold = json.data.reservation_token;
		const { engine } = house.deps;
		const fgId = must(lots[1], "the shared lot");
		await engine.execute({ kind: "correct", origin, fgId, units: -2, reason: "counted" });
	});
	afterAll(() => house.close());

	const history = async (of: Parameters<typeof listMoves>[1], limit = 99) => {
		const list = await listMoves(house.db, of, { limit });
		if (isRefusal(list)) throw new Error(list.message);
		return { ...list, items: list.items.toReversed() };
	};

	it("is every move of a lot, the newest last, with what it was about, the reason, and who asked", async () => {
		const { items, hasMore } = await history({ fgId: must(lots[1], "the shared lot") });
		expect(hasMore).toBe(false);
		expect(items).toEqual([
			expect.objectContaining({
				from: "received",
				to: "available",
				units: 9,
				cause: "import",
				about: "S1",
				reason: null,
			}),
			expect.objectContaining({
				from: "available",
				to: "held",
				units: 1,
				cause: "reserve",
				about: hold,
				reason: null,
				actor: `key:${pk}`,
				requestId: expect.stringMatching(/^req_/),
				brandCode: null,
				batchNumber: "S1",
				at: expect.any(Date),
			}),
			expect.objectContaining({
				from: "available",
				to: "corrected",
				units: 2,
				cause: "correct",
				about: null,
				reason: "counted",
				actor: "operator:test",
			}),
		]);
		const numbers = items.map(({ seq }) => seq);
		expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
	});

	it("is that of a formula in every pool, or in one brand's", async () => {
		const of = async (brand: string | null) =>
			(await history({ formula: "F", brand })).items.map((move) => `${move.batchNumber} ${move.cause}`);
		expect(await of("ACME")).toEqual(["A1 import", "A1 reserve"]);
		const all = ["A1 import", "A1 reserve", "S1 correct", "S1 import", "S1 reserve"];
		expect((await of(null)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(all);
	});

	it("is the last moves when there are more than were asked for", async () => {
		const fgId = must(lots[1], "the shared lot");
		const { items, hasMore } = await history({ fgId }, 2);
		expect([items.map(({ cause }) => cause), hasMore]).toEqual([["reserve", "correct"], true]);
		expect((await history({ fgId }, 3)).hasMore).toBe(false);
	});

	it("of a lot, a formula or a brand that does not exist is refused", async () => {
		for (const asked of [{ fgId: newId() }, { formula: "NOPE", brand: null }, { formula: "F", brand: "NOPE" }]) {
			expect(await listMoves(house.db, asked, { limit: 9 })).toMatchObject({ refusal: "not_found" });
		}
		expect(await history({ formula: "G", brand: "ACME" })).toEqual({ items: [], hasMore: false });
	});
});
