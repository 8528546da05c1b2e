import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";
import { wholeKits } from "./count.ts";

const RULES: { readonly [rule: string]: string } = {
	"units over the pools a reserve would draw from, in date and free": `
		1 F0 arrive in BOLT
		L1 = 4 F0 arrive in ACME
		L2 = 2 F0 arrive in shared
		L3 = 8 F0 arrive in shared, good for -1 days
		H = acme reserves 1 one
		quarantine 1 of L1
		acme counts one        -> available 4, atp 4, promised 0, backorder 0
		open counts one        -> available 2, atp 2, promised 0, backorder 0
		open counts one@ACME   -> available 4, atp 4, promised 0, backorder 0
		bolt counts one        -> available 1, atp 1, promised 0, backorder 0`,
	"available and promised are summed over the pools before they are compared": `
		A = 2 F0 arrive in ACME
		S = 4 F0 arrive in shared
		5 F0 of ACME are promised
		acme counts one  -> available 6, atp 1, promised 5, backorder 0
		open counts one  -> available 4, atp 4, promised 0, backorder 0`,
	"what is promised beyond stock is backorder, and promised too": `
		A = 2 F0 arrive in ACME
		5 F0 of ACME are promised
		acme counts one  -> available 2, atp 0, promised 5, backorder 3`,
	"several units a kit: whole kits, and a backorder rounded up": `
		A = 5 F1 arrive in ACME
		acme counts pair  -> available 2, atp 2, promised 0, backorder 0
		2 F1 of ACME are promised
		acme counts pair  -> available 2, atp 1, promised 1, backorder 0
		6 F1 of ACME are promised
		acme counts pair  -> available 2, atp 0, promised 3, backorder 1`,
	"a kit counts its scarcest component": `
		A0 = 5 F0 arrive in ACME
		A1 = 5 F1 arrive in ACME
		acme counts kit  -> available 2, atp 2, promised 0, backorder 0
		4 F0 of ACME are promised
		acme counts kit  -> available 2, atp 1, promised 1, backorder 0
		7 F0 of ACME are promised
		acme counts kit  -> available 2, atp 0, promised 4, backorder 2`,
	"unknown, not physical, not sellable": `
		A0 = 5 F0 arrive in ACME
		acme counts nothing  -> unknown
		open counts one@NOBODY -> unknown
		acme counts one@NOBODY -> brand_mismatch
		acme counts fee      -> not counted
		acme counts old      -> available 0, atp 0, promised 0, backorder 0
		acme counts bare     -> available 0, atp 0, promised 0, backorder 0`,
	"units of a hold past its end are free at once": `
		A0 = 5 F0 arrive in ACME
		H = acme reserves 4 one for 1 min
		acme counts one  -> available 1, atp 1, promised 0, backorder 0
		1 min pass
		acme counts one  -> available 5, atp 5, promised 0, backorder 0`,
};

describe("counts", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});

	it("a recipe without components makes no kits", () => {
		expect(wholeKits([], () => 9)).toBe(0);
	});
});
