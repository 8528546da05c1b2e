import { expect, test } from "vitest";
import { isPhysical, unitsPerPack } from "./classify.ts";

test.each([
	["85123A", "WHITE HANGING HEART T-LIGHT HOLDER"],
	["21777", ""],
	["22423", "POSTAGE STAMP CAKE STAND"],
	["DCGS0076", "SUNJAR LED NIGHT NIGHT LIGHT"],
	["DCGS0055", ""],
	["DCGSSBOY", "BOYS PARTY BAG"],
])("%s (%s) is a thing on a shelf", (code, description) => {
	expect(isPhysical(code, description === "" ? [] : [description])).toBe(true);
});

test.each([
	["POST", "POSTAGE"],
	["DOT", "DOTCOM POSTAGE"],
	["C2", "CARRIAGE"],
	["D", "Discount"],
	["M", "Manual"],
	["m", "Manual"],
	["S", "SAMPLES"],
	["B", "Adjust bad debt"],
	["BANK CHARGES", "Bank Charges"],
	["AMAZONFEE", "AMAZON FEE"],
	["CRUK", "CRUK Commission"],
	["PADS", "PADS TO MATCH ALL CUSHIONS"],
	["gift_0001_40", "Dotcomgiftshop Gift Voucher 40.00"],
	["POST", ""],
	["AMAZONFEE", ""],
	["BANK CHARGES", ""],
	["gift_0001_20", ""],
])("%s (%s) is not", (code, description) => {
	expect(isPhysical(code, description === "" ? [] : [description])).toBe(false);
});

test.each([
	["SET OF 6 HERB TINS", 6],
	["SET/4 RED MINI ROSE CANDLE", 4],
	["PACK OF 12 TRADITIONAL CRAYONS", 12],
	["PACK OF 72 RETROSPOT CAKE CASES", 1],
	["RED RETROSPOT CAKE STAND", 1],
	["SET OF FOUR KNICK KNACK TINS", 1],
])("%s holds %i units", (description, units) => {
	expect(unitsPerPack(description)).toBe(units);
});
