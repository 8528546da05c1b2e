import { describe, expect, it } from "vitest";
import { warningsOf } from "./coa-print.ts";

const one = (status: "draft" | "current" | "archived") => ({ slug: "serum", batch_number: "A-1", status });
const at = (origin: string) => `${origin}/coa/lookup?lot=A-1`;
const PUBLIC = "https://coa.example.com";

describe("What is printed for buyers", () => {
	it.each([
		[PUBLIC, ["current", "archived"], []],
		["https://127.example.com", ["current"], []],
		["http://192.0.2.7:4001", ["current"], []],
		["http://127.0.0.1:4001", ["current"], ["HOLDFAST_COA_URL"]],
		["http://127.9.0.1", ["current"], ["HOLDFAST_COA_URL"]],
		["http://localhost:4001", ["current"], ["HOLDFAST_COA_URL"]],
		["http://[::1]:4001", ["current"], ["HOLDFAST_COA_URL"]],
		["http://0.0.0.0:4001", ["current"], ["HOLDFAST_COA_URL"]],
		[PUBLIC, ["draft", "current"], ["coa publish serum A-1"]],
		["http://localhost", ["draft"], ["HOLDFAST_COA_URL", "coa publish serum A-1"]],
	] as const)("at %s of certificates that are %j warns of %j", (origin, statuses, said) => {
		const warnings = warningsOf(statuses.map(one), at(origin));
		expect(warnings).toEqual(said.map((text) => expect.stringContaining(text)));
	});
});
