import { describe, expect, it } from "vitest";
import type { Hold, HoldStatus, Part } from "./hold.ts";
import { stateUnder } from "./hold.ts";
import { holdReading } from "./hold-reply.ts";

const part = (units: number, state: Part["state"], poolId = 1): Part => ({
	ordinal: 0,
	line: 0,
	formulaId: "f",
	fgId: `lot-${state}-${poolId}`,
	poolId,
	units,
	state,
});
/** A hold of 3 kits, 2 units each. */
const read = (status: HoldStatus, parts: Part[]) => {
	const hold: Hold = {
		reservationToken: "t",
		keyId: "k",
		partnerId: "p",
		status,
		externalRef: "cart",
		consumeRef: null,
		lines: [
			{
				sku: "A",
				brand_code: "ACME",
				qty: 3,
				pools: [1, 0],
				components: [
					{
						formula_id: "f",
						per_kit: 2,
					},
				],
			},
		],
		createdAt: 0,
		expiresAt: 18e5,
		consumedUnits: null,
		returnedUnits: null,
		parts,
	};
	return holdReading({ hold, endedAt: null, orderId: null });
};
const counts = (status: HoldStatus, parts: Part[]) => {
	const { items, impaired } = read(status, parts);
	const [item] = items;
	return [item?.reserved_qty, item?.components[0]?.reserved_units, impaired];
};

describe("What a hold that is read back counts, in kits and in units, and whether it is impaired", () => {
	it.each([
		["active and whole", "active", [part(6, "held")], [3, 6, false]],
		["active, its units picked again", "active", [part(2, "displaced"), part(6, "held")], [3, 6, false]],
		["active, units lost", "active", [part(1, "displaced"), part(5, "held")], [2, 5, true]],
		["active, all lost", "active", [part(6, "displaced")], [0, 0, true]],
		["consumed", "consumed", [part(6, "consumed")], [3, 6, false]],
		["consumed, units picked again before", "consumed", [part(2, "displaced"), part(6, "consumed")], [3, 6, false]],
		["consumed, part of it shipped", "consumed", [part(2, "shipped"), part(4, "consumed")], [3, 6, false]],
		[
			"consumed, part shipped and the rest given back",
			"consumed",
			[part(2, "shipped"), part(4, "returned")],
			[1, 2, false],
		],
		["reversed", "reversed", [part(6, "returned")], [0, 0, false]],
		["placed", "placed", [part(6, "allocated")], [3, 6, false]],
		["placed, units lost", "placed", [part(3, "displaced"), part(3, "allocated")], [1, 3, true]],
		["placed, and its order cancelled", "placed", [part(6, "freed")], [0, 0, false]],
		[
			"placed, units picked again, and its order cancelled",
			"placed",
			[part(2, "displaced"), part(6, "freed")],
			[0, 0, false],
		],
		["placed and shipped", "placed", [part(6, "shipped")], [3, 6, false]],
		["expired", "expired", [part(6, "freed")], [0, 0, false]],
		["expired, units lost before", "expired", [part(1, "displaced"), part(5, "freed")], [0, 0, false]],
		["released", "released", [part(6, "freed")], [0, 0, false]],
	] as const)("%s", (_what, status, parts, expected) => {
		expect(counts(status, [...parts])).toEqual(expected);
	});

	it.each(Object.keys(stateUnder) as HoldStatus[])("%s: what was asked for stays what it was", (status) => {
		const [item] = read(status, [part(6, stateUnder[status])]).items;
		expect(item?.components[0]?.requested_units).toBe(6);
	});

	it("names pools and lots of what it counts alone", () => {
		const [item] = read("active", [part(2, "displaced"), part(4, "held"), part(2, "held", 0)]).items;
		expect(item).toMatchObject({ from_brand_pool: 4, from_shared_pool: 2, fg_ids: ["lot-held-1", "lot-held-0"] });
	});
});
