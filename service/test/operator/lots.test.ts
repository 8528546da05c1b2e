import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { GetLot, ListLotMoves, ListLots, ListMoves } from "../../src/inventory/stock/admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";

let house: House;
/** `fg_id` by batch number. */
let lots: ReadonlyMap<string, string>;

const lot = (formula: string, brand_code: string | null, batch_number: string, expires_on?: string) => ({
	formula,
	brand_code,
	batch_number,
	units: 10,
	...(expires_on === undefined ? {} : { expires_on }),
});

beforeAll(async () => {
	house = await openHouse();
	const made = await house.importWorld({
		brands: ["ACME", "BOLT"].map((code) => ({ code, name: code })),
		formulas: ["CALM-60", "REST-30"].map((code) => ({ code, name: `Formula ${code}`, status: "active" })),
		skus: [{ sku: "REST", name: "Rest", kind: "single", components: [{ formula: "REST-30", per_kit: 1 }] }],
		lots: [
			lot("REST-30", null, "R-1"),
			lot("CALM-60", null, "C-9"),
			lot("CALM-60", "BOLT", "C-3", "2090-01-31"),
			lot("CALM-60", "ACME", "C-2"),
			lot("CALM-60", "ACME", "C-1", "2090-03-31"),
			lot("CALM-60", "ACME", "C-0", "2090-01-31"),
			lot("REST-30", "BOLT", "C-9"),
		],
	});
	lots = new Map(made.lots.map(({ batch_number, fg_id }) => [batch_number, must(fg_id, "a lot")]));
});
afterAll(() => house.close());

/** Batch numbers without those of the sandbox, which a service stocks after its start. */
const numbersOf = (items: readonly { readonly batch_number: string }[]): string[] =>
	items.map(({ batch_number }) => batch_number).filter((number) => number !== "SANDBOX");
const find = async (query = ""): Promise<string[]> =>
	numbersOf((await operate(house, ListLots, { query })).json.data.items);
const IN_ORDER = ["C-0", "C-1", "C-2", "C-3", "C-9", "C-9", "R-1"];

describe("Operators list lots", () => {
	it("by formula, brand and last day of use, page by page to the same end", async () => {
		expect(await find()).toEqual(IN_ORDER);
		for (const limit of [1, 2, 3]) {
			const seen: string[] = [];
			let cursor: string | null = null;
			do {
				const query: string = `?limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`;
				const { items, next_cursor } = (await operate(house, ListLots, { query })).json.data;
				seen.push(...numbersOf(items));
				cursor = next_cursor;
			} while (cursor !== null);
			expect(seen).toEqual(IN_ORDER);
		}
		expect((await operate(house, ListLots, { query: "?cursor=bm8" })).status).toBe(400);
	});

	it("by formula, brand, batch number, last day of use, bucket, and a part of a text", async () => {
		expect(await find("?formula=REST-30")).toEqual(["C-9", "R-1"]);
		expect(await find("?brand_code=ACME")).toEqual(["C-0", "C-1", "C-2"]);
		expect(await find("?brand_code=shared")).toEqual(["C-9", "R-1"]);
		expect(await find("?batch_number=C-9")).toEqual(["C-9", "C-9"]);
		expect(await find("?expires_before=2090-03-31")).toEqual(["C-0", "C-3"]);
		expect(await find("?q=c-&formula=REST-30")).toEqual(["C-9"]);
		expect(await find("?q=ormula+rest")).toEqual(["C-9", "R-1"]);
		expect(await find("?q=%25")).toEqual([]);
		expect(await find("?depleted=true")).toEqual([]);
		expect(await find("?depleted=false&bucket=available")).toEqual(IN_ORDER);
		expect(await find("?bucket=quarantined")).toEqual([]);
	});

	it("and are told which formula or brand was probably meant", async () => {
		const refused = await operate(house, ListLots, { query: "?formula=calm-60" });
		expect([refused.status, refused.json.error.message]).toEqual([
			404,
			'There is no formula "calm-60": did you mean "CALM-60"?',
		]);
		expect((await operate(house, ListLots, { query: "?brand_code=acme" })).json.error.message).toContain('"ACME"');
		expect((await operate(house, ListLots, { query: "?expires_before=2090-02-30" })).status).toBe(400);
		expect((await operate(house, ListLots, { query: "?bucket=lost" })).status).toBe(400);
	});
});

describe("Operators read a lot", () => {
	it("by its id, or by its batch number if one lot has it", async () => {
		const fg_id = must(lots.get("C-1"), "the lot");
		const byId = await operate(house, GetLot, { params: { fg_id: fg_id.toUpperCase() } });
		expect(byId.json.data).toMatchObject({
			fg_id,
			formula: "CALM-60",
			available: 10,
			in_date: true,
			recalled_at: null,
		});
		expect((await operate(house, GetLot, { params: { fg_id: "C-1" } })).json.data).toEqual(byId.json.data);
		const several = await operate(house, GetLot, { params: { fg_id: "C-9" } });
		expect([several.status, several.json.error.message]).toEqual([400, expect.stringMatching(/^2 lots have batch/)]);
		const one = await operate(house, GetLot, { params: { fg_id: "C-9" }, query: "?brand_code=BOLT" });
		expect(one.json.data).toMatchObject({ formula: "REST-30", brand_code: "BOLT" });
		const shared = await operate(house, GetLot, { params: { fg_id: "C-9" }, query: "?brand_code=shared" });
		expect(shared.json.data).toMatchObject({ formula: "CALM-60", brand_code: null });
		const near = await operate(house, GetLot, { params: { fg_id: "c 1" } });
		expect([near.status, near.json.error.message]).toEqual([404, expect.stringContaining('did you mean "C-1"?')]);
		expect((await operate(house, GetLot, { params: { fg_id: newId() } })).status).toBe(404);
	});

	it("with an ETag that changes with it", async () => {
		const params = { fg_id: "R-1" };
		const etag = String((await operate(house, GetLot, { params })).headers.etag);
		const headers = { "if-none-match": etag };
		expect((await operate(house, GetLot, { params, headers })).status).toBe(304);
		const { token } = await house.mint({ scopes: ["atp.reserve"] });
		await house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "REST", qty: 1 }] } });
		expect((await operate(house, GetLot, { params, headers })).json.data).toMatchObject({ available: 9, held: 1 });
	});
});

describe("Operators list the moves of stock", () => {
	it("of a lot and of a formula's lots, newest first, page by page", async () => {
		const { token } = await house.mint({ scopes: ["atp.reserve", "atp.release"] });
		const body = { items: [{ sku: "REST", qty: 2 }], external_ref: "cart" };
		const { reservation_token } = (await house.call(token, "/api/v1/reserve", { body })).json.data;
		await house.call(token, "/api/v1/release", { body: { reservation_token } });
		const params = { fg_id: "R-1" };
		const { items } = (await operate(house, ListLotMoves, { params })).json.data;
		expect(items.map(({ cause }: { cause: string }) => cause).slice(0, 2)).toEqual(["release", "reserve"]);
		expect(items.at(-1)).toMatchObject({ from: "received", to: "available", units: 10, about: "R-1", reason: null });
		const first = (await operate(house, ListLotMoves, { params, query: "?limit=1" })).json.data;
		const query = `?limit=500&cursor=${first.next_cursor}`;
		const rest = (await operate(house, ListLotMoves, { params, query })).json.data;
		expect([...first.items, ...rest.items]).toEqual(items);
		const ofFormula = await operate(house, ListMoves, { query: "?formula=REST-30" });
		expect(ofFormula.json.data.items).toHaveLength(items.length + 1);
		const ofBrand = await operate(house, ListMoves, { query: "?formula=REST-30&brand_code=BOLT" });
		expect(ofBrand.json.data.items).toMatchObject([{ batch_number: "C-9", brand_code: "BOLT" }]);
		const shared = await operate(house, ListMoves, { query: "?formula=REST-30&brand_code=shared" });
		expect(shared.json.data.items.length).toBeGreaterThan(0);
		for (const move of shared.json.data.items) expect(move).toMatchObject({ batch_number: "R-1", brand_code: null });
	});

	it("and are refused those of what does not exist", async () => {
		expect((await operate(house, ListLotMoves, { params: { fg_id: newId() } })).status).toBe(404);
		expect((await operate(house, ListMoves, { query: "?formula=NOPE" })).status).toBe(404);
		expect((await operate(house, ListMoves)).status).toBe(400);
		expect((await operate(house, ListMoves, { query: "?formula=REST-30&cursor=bm8" })).status).toBe(400);
	});
});
