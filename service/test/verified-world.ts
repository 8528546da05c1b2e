/** Two formulas, a single SKU and a kit, and lots of a brand and of the shared pool. */
export const VERIFIED_WORLD = {
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: [
		{ code: "F", name: "F", status: "active" },
		{ code: "G", name: "G", status: "active" },
	],
	skus: [
		{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 1 }] },
		{
			sku: "KIT",
			name: "Kit",
			kind: "kit",
			components: [
				{ formula: "F", per_kit: 1 },
				{ formula: "G", per_kit: 2 },
			],
		},
	],
	lots: [
		{ formula: "F", brand_code: "ACME", batch_number: "F1", units: 40 },
		{ formula: "F", brand_code: null, batch_number: "F2", units: 40 },
		{ formula: "G", brand_code: "ACME", batch_number: "G1", units: 100 },
	],
	partners: [{ name: "Shop" }, { name: "Other" }],
	keys: [
		{ name: "web", partner: "Shop", environment: "live", brand_code: "ACME", preset: "self_ship", shared_pool: true },
	],
};
