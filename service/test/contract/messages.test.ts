import { afterAll, beforeAll, expect, it } from "vitest";
import { type House, openHouse } from "../house.ts";

/*
 * The hints in messages that help a beginner: the field, the spelling of the SKU, the path, the formula that is short.
 */

let house: House;
let token: string;

beforeAll(async () => {
	house = await openHouse();
	await house.importWorld({
		brands: [{ code: "ACME", name: "Acme" }],
		formulas: [
			{ code: "ROSE", name: "Rose water", status: "active" },
			{ code: "MINT", name: "Mint water", status: "active" },
		],
		skus: [
			{ sku: "R-1", name: "Rose", kind: "single", components: [{ formula: "ROSE", per_kit: 1 }] },
			{ sku: "R-6", name: "Six", kind: "single", components: [{ formula: "ROSE", per_kit: 6 }] },
			{
				sku: "GIFT-BOX",
				name: "Gift",
				kind: "kit",
				components: [
					{ formula: "ROSE", per_kit: 1 },
					{ formula: "MINT", per_kit: 2 },
				],
			},
		],
		lots: [
			{ formula: "ROSE", brand_code: null, batch_number: "R", units: 3 },
			{ formula: "MINT", brand_code: null, batch_number: "M", units: 1 },
		],
	});
	token = (await house.mint({ scopes: ["atp.reserve", "atp.inventory"] })).token;
});
afterAll(() => house.close());

const END = "Nothing is held: do not charge.";

it.each([
	[
		[["GIFT-BOX", 1]],
		`/items/0: not enough stock of "GIFT-BOX": 2 units of "Mint water" needed for 1 kit, 1 available to promise. ${END}`,
	],
	[[["R-6", 1]], `/items/0: not enough stock of "R-6": 6 units needed for 1 kit, 3 available to promise. ${END}`],
	[[["R-1", 4]], `/items/0: not enough stock of "R-1": 4 units needed, 3 available to promise. ${END}`],
	[
		[
			["R-1", 3],
			["R-1", 1],
		],
		`/items/1: not enough stock of "R-1": 1 unit needed, 0 available to promise in addition to the earlier parts of this request. ${END}`,
	],
	[[["r-1", 1]], '/items/0/sku: there is no SKU "r-1"; did you mean "R-1"? SKUs are spelled exactly.'],
	[[[" gift_box", 1]], '/items/0/sku: there is no SKU " gift_box"; did you mean "GIFT-BOX"? SKUs are spelled exactly.'],
	[[["sbx-plenty", 1]], '/items/0/sku: there is no SKU "sbx-plenty".'], // another environment's is unknown
	[[["ROSES", 1]], '/items/0/sku: there is no SKU "ROSES".'],
] as const)("a reserve of %j: %s", async (lines, message) => {
	const body = { items: lines.map(([sku, qty]) => ({ sku, qty })) };
	const { json } = await house.call(token, "/api/v1/reserve", { body });
	expect(json.error.message).toBe(message);
});

it("a position of a SKU in small letters", async () => {
	const { status, json } = await house.call(token, "/api/v1/inventory?sku=gift%20box");
	expect([status, json.error.message]).toEqual([
		404,
		'/sku: there is no SKU "gift box"; did you mean "GIFT-BOX"? SKUs are spelled exactly.',
	]);
});

it.each([
	[{ items: [{ sku: "R-1", qty: 1 }], externalRef: "a" }, "/externalRef: unknown field (did you mean external_ref?)."],
	[{ items: [{ sku: "R-1", Qty: 1, qty: 1 }] }, "/items/0/Qty: unknown field (did you mean qty?)."],
	[{ items: [{ sku: "R-1", qty: 1 }], colour: "red" }, "/colour: unknown field."],
	[{ items: [] }, "/items: expected at least 1 entry."],
])("a body %j: %s", async (body, message) => {
	const { json } = await house.call(token, "/api/v1/reserve", { body });
	expect(json.error.message).toBe(message);
});

it("a query parameter that is spelled almost right", async () => {
	const { json } = await house.call(token, "/api/v1/inventory?SKU=R-1&sku=R-1");
	expect(json.error.message).toBe("/SKU: unknown parameter (did you mean sku?).");
});

it("a path with a slash too many, in capitals, or without its beginning", async () => {
	for (const path of ["/api/v1/reserve/", "/API/v1/Reserve", "/api//v1/reserve", "/reserve"]) {
		const answer = await fetch(house.api + path, { method: "POST" });
		expect([path, answer.status, await answer.json()]).toEqual([
			path,
			404,
			{
				error: {
					code: "not_found",
					message: "There is nothing at this path: did you mean /api/v1/reserve? /docs lists what there is.",
				},
			},
		]);
	}
});

it.each([
	['{"items": [', "The body is not valid JSON: it ends too early."],
	["{'items': 1}", "The body is not valid JSON: see line 1, column 2."],
	['{\n  "items": [],\n}', "The body is not valid JSON: see line 3, column 1."],
])("a body that is no JSON, %j: %s", async (raw, message) => {
	const answer = await fetch(`${house.api}/api/v1/reserve`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: raw,
	});
	expect(await answer.json()).toEqual({ error: { code: "bad_request", message } });
});
