import { expect, it } from "vitest";
import { didYouMean } from "./similar.ts";

const KNOWN = ["init", "mirror check", "golive", "webhooks listen", "webhooks send", "requests tail", "doctor"];

it.each([
	["golve", "golive"],
	["goliev", "golive"],
	["go-live", "golive"],
	["inti", "init"],
	["doctr", "doctor"],
	["listen", "webhooks listen"],
	["tial", "requests tail"],
	["mirorr check", "mirror check"],
	["webhook listen", "webhooks listen"],
])("%s is taken for %s", (typed, meant) => {
	expect(didYouMean(typed, KNOWN)).toBe(` Did you mean "${meant}"?`);
});

it.each(["", "x", "deploy", "production"])("%j is taken for nothing", (typed) => {
	expect(didYouMean(typed, KNOWN)).toBe("");
});
