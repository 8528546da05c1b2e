import { expect, it } from "vitest";
import { wrongForm } from "./credentials-form.ts";

it.each([
	[undefined, "There is no header Authorization"],
	["", "There is no header Authorization"],
	["Basic cGs6c2s=", "The header Authorization does not begin with Bearer"],
	["pk_hf_live_a:sk_hf_live_b", "The header Authorization does not begin with Bearer"],
	["Bearer pk_hf_live_a", "Only one half of the key was sent"],
	["Bearer sk_hf_live_b", "Only one half of the key was sent"],
	["Bearer sk_hf_live_b:pk_hf_live_a", "The halves of the key are the wrong way round"],
	["Bearer pk_hf_live_a: sk_hf_live_b", "There is a space in the key"],
	["Bearer pk_hf_live_a:sk_hf_live_b", null],
	["bearer pk_hf_live_a:sk_hf_live_b ", null],
	["Bearer anything", null],
	["Bearer", null],
])("%j: %j", (authorization, wrong) => {
	expect(wrongForm(authorization)).toBe(wrong);
});
