import { expect, it } from "vitest";
import { nearest } from "./nearest.ts";

it.each([
	["externalRef", "external_ref"],
	["EXTERNAL-REF", "external_ref"],
	["extrenal_ref", "external_ref"],
	["ttl_minute", "ttl_minutes"],
	["item", "items"],
	["colour", null],
	["qt", null],
	["", null],
])("%j is taken for %j", (name, meant) => {
	expect(nearest(name, ["items", "ttl_minutes", "external_ref", "qty"])).toBe(meant);
});
