import { describe, expect, it } from "vitest";
import { type KeyName, makeTown } from "../../../test/model/town.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { drawOf, drawOfBrand, drawsOf, isUnknownBrand } from "./brand.ts";

const town = makeTown("brand");
const SANDBOX_KEY = { ...town.callers.bolt, environment: "sandbox" as const, brandCode: "SANDBOX", poolId: 1 };
const callerOf = (key: string) => (key === "sandbox" ? SANDBOX_KEY : town.callers[key as KeyName]);

const say = (choice: object): string =>
	isRefusal(choice)
		? choice.refusal
		: isUnknownBrand(choice)
			? "unknown"
			: `${(choice as { brandCode: string | null }).brandCode} ${(choice as { pools: number[] }).pools.join(",")}`;

describe("the brand gate", () => {
	it.each([
		// key, brand named, draw: effective brand and pools, its own first
		["acme", undefined, "ACME 2,0"],
		["acme", "ACME", "ACME 2,0"],
		["acme", "BOLT", "brand_mismatch"],
		["acme", "NOBODY", "brand_mismatch"],
		["acme", "SANDBOX", "brand_mismatch"],
		["bolt", undefined, "BOLT 3"],
		["bolt", "BOLT", "BOLT 3"],
		["bolt", "ACME", "brand_mismatch"],
		["open", undefined, "null 0"],
		["open", "ACME", "ACME 2,0"],
		["open", "NOBODY", "unknown"],
		["open", "SANDBOX", "brand_mismatch"],
		["closed", undefined, "invalid_input"],
		["closed", "ACME", "ACME 2"],
		["closed", "NOBODY", "unknown"],
		["closed", "SANDBOX", "brand_mismatch"],
		["sandbox", undefined, "SANDBOX 1"],
		["sandbox", "SANDBOX", "SANDBOX 1"],
		["sandbox", "ACME", "brand_mismatch"],
	])("key %s naming %s: %s", (key, named, draw) => {
		expect(say(drawOf(callerOf(key), named, town.catalog))).toBe(draw);
	});

	it.each([
		["acme", undefined, "ACME 2,0"],
		["acme", "BOLT", "brand_mismatch"],
		["sandbox", undefined, "SANDBOX 1"],
		["open", undefined, "invalid_input"], // although it has access to the shared pool
		["closed", undefined, "invalid_input"],
		["open", "ACME", "ACME 2,0"],
		["closed", "ACME", "ACME 2"],
		["open", "NOBODY", "unknown_brand_code"],
		["open", "SANDBOX", "brand_mismatch"],
	])("of one brand's own: key %s naming %s: %s", (key, named, draw) => {
		expect(say(drawOfBrand(callerOf(key), named, town.catalog))).toBe(draw);
	});

	it.each([
		["closed", [undefined, "SANDBOX"], "brand_mismatch"], // this check comes before the rule that a key must name a brand
		["closed", ["ACME", undefined], "invalid_input"],
		["open", ["NOBODY", "SANDBOX"], "brand_mismatch"],
		["open", [undefined, "ACME"], "null 0; ACME 2,0"],
	])("lines of key %s naming %s together: %s", (key, named, expected) => {
		const draws = drawsOf(callerOf(key), named, town.catalog);
		expect(isRefusal(draws) ? draws.refusal : draws.map(say).join("; ")).toBe(expected);
	});
});
