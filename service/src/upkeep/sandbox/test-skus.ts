import { SANDBOX_SKU_PREFIX, SANDBOX_SLUG_PREFIX } from "../../glossary.ts";
import type { FormulaEntry, Product, RecipePart, SkuEntry } from "../../inventory/catalog/entries.ts";
import type { SANDBOX_FORMULAS, SANDBOX_SKUS } from "../../inventory/catalog/sandbox-names.ts";

type FormulaCode = (typeof SANDBOX_FORMULAS)[number];
type SkuCode = (typeof SANDBOX_SKUS)[number];

interface TestFormula {
	readonly status: "active" | "archived";
	/** Free units that a restock restores. */
	readonly nominal: number;
	/** The expiry date of its lot, YYYY-MM-DD; null: never expires. */
	readonly expiresOn: string | null;
}
const stocked = (nominal: number, rest: Partial<TestFormula> = {}): TestFormula => ({
	status: "active",
	nominal,
	expiresOn: null,
	...rest,
});

/** Batch number of every lot that the sandbox creates. */
export const SANDBOX_BATCH = "SANDBOX";

export const TEST_FORMULAS: Readonly<Record<FormulaCode, TestFormula>> = {
	"SBX-PLENTY": stocked(100_000),
	"SBX-LOW": stocked(3),
	"SBX-OUT": stocked(0),
	"SBX-PART-A": stocked(1_000),
	"SBX-PART-B": stocked(1_000),
	"SBX-PART-SHORT": stocked(0),
	"SBX-ARCHIVED": stocked(100, { status: "archived" }),
	"SBX-EXPIRED": stocked(100, { expiresOn: "2020-12-31" }),
	"SBX-RETRY": stocked(1_000),
	"SBX-HELD": stocked(1_000),
};

interface TestSku {
	readonly name: string;
	readonly components: readonly { readonly formula: FormulaCode; readonly perKit: number }[];
	readonly testBehaviour?: SkuEntry["testBehaviour"];
}
const one = (formula: FormulaCode) => [{ formula, perKit: 1 }];

/** The SKUs of settlements, section 10. */
const TEST_SKUS: Readonly<Record<SkuCode, TestSku>> = {
	"SBX-PLENTY": { name: "Test: more than enough", components: one("SBX-PLENTY") },
	"SBX-LOW": { name: "Test: 3 left", components: one("SBX-LOW") },
	"SBX-OUT": { name: "Test: none left", components: one("SBX-OUT") },
	"SBX-KIT": { name: "Test: a kit of 1 A and 2 B", components: parts(["SBX-PART-A", 1], ["SBX-PART-B", 2]) },
	"SBX-KIT-SHORT": {
		name: "Test: a kit with one part short",
		components: parts(["SBX-PART-A", 1], ["SBX-PART-SHORT", 1]),
	},
	"SBX-FEE": { name: "Test: a fee, not physical", components: [] },
	"SBX-ARCHIVED": { name: "Test: an archived formula, reserve answers 422", components: one("SBX-ARCHIVED") },
	"SBX-EXPIRED": { name: "Test: only out-of-date lots", components: one("SBX-EXPIRED") },
	"SBX-RETRY": { name: "Test: reserve answers 409 retry", components: one("SBX-RETRY"), testBehaviour: "retry" },
	"SBX-HELD": { name: "Test: its order is put on hold", components: one("SBX-HELD"), testBehaviour: "held" },
};

function parts(...list: [FormulaCode, number][]): (RecipePart & { formula: FormulaCode })[] {
	return list.map(([formula, perKit]) => ({ formula, perKit }));
}

/** Each test SKU has its own product. */
const slugOf = (sku: string): string => sku.replace(SANDBOX_SKU_PREFIX, SANDBOX_SLUG_PREFIX).toLowerCase();

/** The sandbox's formulas, products and SKUs, in the form that the catalogue's functions take. */
export const sandboxCatalog = (): {
	readonly formulas: readonly FormulaEntry[];
	readonly products: readonly Product[];
	readonly skus: readonly SkuEntry[];
} => ({
	formulas: Object.entries(TEST_FORMULAS).map(([code, { status }]) => ({ code, name: code, status })),
	products: Object.entries(TEST_SKUS).flatMap(([sku, { name, components }]) =>
		components.length === 0 ? [] : [{ slug: slugOf(sku), name }],
	),
	skus: Object.entries(TEST_SKUS).map(([sku, { name, components, testBehaviour = null }]) => ({
		sku,
		name,
		product: components.length === 0 ? null : slugOf(sku),
		kind: components.length === 0 ? "non_physical" : components.length === 1 ? "single" : "kit",
		vialSize: null,
		components,
		testBehaviour,
	})),
});

/** A lot of a test formula, in units. */
export interface TestLot {
	readonly fgId: string;
	readonly batchNumber: string;
	/** Free now, including units of lapsed holds. */
	readonly free: number;
}

export type Remedy = { readonly receive: number } | { readonly fgId: string; readonly correct: number };

/**
 * Returns the receipts and corrections that bring the free units of a formula to the nominal count; held units are left
 * alone.
 */
export function remediesFor(nominal: number, lots: readonly TestLot[]): Remedy[] {
	const free = lots.reduce((sum, lot) => sum + lot.free, 0);
	if (free < nominal) return [{ receive: nominal - free }];
	let surplus = free - nominal;
	return lots.flatMap(({ fgId, free: on }) => {
		const taken = Math.min(surplus, on);
		surplus -= taken;
		return taken > 0 ? [{ fgId, correct: -taken }] : [];
	});
}
