import { describe, expect, it } from "vitest";
import { SANDBOX_FORMULAS, SANDBOX_SKUS } from "../catalog/sandbox-names.ts";
import { planImport } from "../import/plan.ts";
import { remediesFor, sandboxWorld } from "./test-skus.ts";

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

describe("The sandbox's world", () => {
	it("is a world that an import accepts, and names exactly the SKUs and formulas that no import may name", () => {
		const world = sandboxWorld();
		const none = new Map<never, never>();
		const catalog = { brands: none, formulas: none, products: none, skus: none };
		const nothing = { ...catalog, lots: none, demand: none, buffers: none, partners: none, keys: none };
		expect(planImport(world, nothing).problems).toEqual([]);
		expect(world.skus.map(({ sku }) => sku).toSorted()).toEqual([...SANDBOX_SKUS].toSorted());
		expect(world.formulas.map(({ code }) => code).toSorted()).toEqual([...SANDBOX_FORMULAS].toSorted());
	});
});
