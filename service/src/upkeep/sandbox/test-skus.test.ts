import { describe, expect, it } from "vitest";
import { wrongRecipe } from "../../inventory/catalog/entries.ts";
import { SANDBOX_FORMULAS, SANDBOX_SKUS } from "../../inventory/catalog/sandbox-names.ts";
import { remediesFor, sandboxCatalog } from "./test-skus.ts";

const lots = (...free: number[]) => free.map((units, i) => ({ fgId: `lot-${i}`, batchNumber: `B${i}`, free: units }));

describe("A restock brings free units back to the nominal count", () => {
	it.for([
		["nothing yet", 3, lots(), [{ receive: 3 }]],
		["nothing to do", 3, lots(1, 2), []],
		["short", 10, lots(4), [{ receive: 6 }]],
		["too many on one lot", 3, lots(10), [{ fgId: "lot-0", correct: -7 }]],
		[
			"too many on two lots",
			1,
			lots(3, 5),
			[
				{ fgId: "lot-0", correct: -3 },
				{ fgId: "lot-1", correct: -4 },
			],
		],
		["none wanted", 0, lots(), []],
	] as const)("%s", ([, nominal, own, remedies]) => expect(remediesFor(nominal, own)).toEqual(remedies));
});

describe("The sandbox's catalogue", () => {
	const { formulas, skus } = sandboxCatalog();

	it("names exactly the SKUs and formulas that no import may name", () => {
		expect(skus.map(({ sku }) => sku).toSorted()).toEqual([...SANDBOX_SKUS].toSorted());
		expect(formulas.map(({ code }) => code).toSorted()).toEqual([...SANDBOX_FORMULAS].toSorted());
	});

	it("has recipes that an import would accept, of its own formulas", () => {
		for (const { kind, components } of skus) expect(wrongRecipe(kind, components.length)).toBeNull();
		const codes = formulas.map(({ code }) => code);
		expect(codes).toEqual(expect.arrayContaining(skus.flatMap((sku) => sku.components.map(({ formula }) => formula))));
	});
});
