import { describe, expect, it } from "vitest";
import type { Hold, Part } from "./hold.ts";
import { replayWarnings } from "./replay-warnings.ts";

const MS_PER_MINUTE = 60_000;
const part = (state: Part["state"], units: number): Part => ({
	ordinal: 0,
	line: 0,
	formulaId: "f",
	fgId: "l",
	poolId: 1,
	units,
	state,
});

/** An active hold of 2 kits of A, 2 units each, with a lifetime of 30 minutes. */
const hold = (parts: Part[] = [part("held", 4)]): Hold => ({
	reservationToken: "t",
	keyId: "k",
	partnerId: "p",
	status: "active",
	externalRef: "r",
	consumeRef: null,
	lines: [
		{
			sku: "A",
			brand_code: "ACME",
			qty: 2,
			pools: [1],
			components: [
				{
					formula_id: "f",
					per_kit: 2,
				},
			],
		},
	],
	createdAt: 0,
	expiresAt: 30 * MS_PER_MINUTE,
	consumedUnits: null,
	returnedUnits: null,
	parts,
});
const SAME = { lines: [{ sku: "A", qty: 2, brandCode: "ACME" }], ttlMinutes: 30 };
const LOST = [part("held", 3), part("displaced", 1)];
const REPLACED = [part("displaced", 1), part("held", 3), part("held", 1)];

describe("A replay is warned of", () => {
	it.each([
		["nothing, when it is the same request", SAME, hold(), []],
		["another brand", { ...SAME, lines: [{ sku: "A", qty: 2, brandCode: "BOLT" }] }, hold(), ["items_differ"]],
		["no brand", { ...SAME, lines: [{ sku: "A", qty: 2, brandCode: null }] }, hold(), ["items_differ"]],
		["another SKU", { ...SAME, lines: [{ sku: "B", qty: 2, brandCode: "ACME" }] }, hold(), ["items_differ"]],
		["another quantity", { ...SAME, lines: [{ sku: "A", qty: 1, brandCode: "ACME" }] }, hold(), ["items_differ"]],
		["a line more", { ...SAME, lines: [...SAME.lines, ...SAME.lines] }, hold(), ["items_differ"]],
		["a shorter life", { ...SAME, ttlMinutes: 29 }, hold(), ["ttl_differs"]],
		["a longer life", { ...SAME, ttlMinutes: 31 }, hold(), ["ttl_differs"]],
		["units that were lost", SAME, hold(LOST), ["impaired"]],
		["all units lost", SAME, hold([part("displaced", 4)]), ["impaired"]],
		["nothing, when lost units were picked again", SAME, hold(REPLACED), []],
		["all of it, in this order", { lines: [], ttlMinutes: 1 }, hold(LOST), ["items_differ", "ttl_differs", "impaired"]],
	] as const)("%s", (_what, asked, held, warnings) => {
		expect(replayWarnings(asked, held)).toEqual(warnings);
	});
});
