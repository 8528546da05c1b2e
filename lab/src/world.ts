/**
 * The initial state: brands, formulas, lots, SKUs, keys. Small enough to know in full, with shelves that are always
 * full, shelves whose last unit everybody wants, and one of each special case of counting.
 */

/** A formula with its initial units in each lot. */
export interface WorldFormula {
	readonly code: string;
	readonly formulaId: string;
	readonly lots: readonly WorldLot[];
}

export interface WorldLot {
	/** Null: the shared stock. */
	readonly brand: string | null;
	readonly batch: string;
	readonly units: number;
	/** The last day of use, YYYY-MM-DD; absent: never. */
	readonly expires?: string;
	/** Past its date throughout: its units are never counted. */
	readonly outOfDate?: true;
}

export interface WorldSku {
	readonly sku: string;
	readonly kind: "single" | "kit" | "non_physical";
	readonly parts: readonly { readonly formula: string; readonly perKit: number }[];
	/** How often partners request it, relative to the others. */
	readonly weight: number;
}

/** Initial promised demand; operators add to it and clear what they added. */
export interface WorldDemand {
	readonly formula: string;
	readonly brand: string | null;
	readonly units: number;
}

export interface WorldKey {
	readonly name: string;
	readonly partner: string;
	readonly brand: string | null;
	readonly shared: boolean;
	readonly cap: number | null;
	/** Concurrent clients of this key. */
	readonly clients: number;
}

export interface World {
	readonly brands: readonly string[];
	readonly formulas: readonly WorldFormula[];
	readonly skus: readonly WorldSku[];
	readonly demand: readonly WorldDemand[];
	readonly keys: readonly WorldKey[];
	/**
	 * Formulas with lots only in the shared stock, some of which are quarantined; the other lots can replace most of
	 * the units.
	 */
	readonly recalled: readonly string[];
	/** Recalled formulas with so little stock that holds and orders lose units for good. */
	readonly lossy: readonly string[];
	/** Formulas that operators receive and correct; the others keep their initial units. */
	readonly supplied: readonly string[];
}

const PLENTY = 1_000_000;
/** Units in a lot of the recalled formulas: far more than are ever held at a time. */
const RECALL_LOT = 3_000;
/** Units in a lot of the lossy formulas: when one is recalled, the units of the others are already held. */
const FRAGILE_LOT = 20;
const POOLS: readonly (string | null)[] = ["ACME", "BOLT", null];

const everywhere = (batch: string, units: number): WorldLot[] =>
	POOLS.map((brand) => ({ brand, batch: `${batch}-${brand ?? "shared"}`, units }));
const noId = (code: string, lots: readonly WorldLot[]): WorldFormula => ({ code, formulaId: "", lots });

/** The world for the import; the ids of its formulas are known afterwards. */
export const WORLD: World = {
	brands: ["ACME", "BOLT"],
	formulas: [
		noId("PLENTY-A", everywhere("P", PLENTY)),
		noId("PLENTY-B", everywhere("P", PLENTY)),
		noId("PLENTY-C", [...everywhere("P", PLENTY), { brand: null, batch: "OLD", units: 500, outOfDate: true }]),
		noId("SCARCE-A", everywhere("S", 24)),
		noId("SCARCE-B", everywhere("S", 30)),
		noId("SCARCE-C", [
			{ brand: null, batch: "S-1", units: 20, expires: "2042-01-31" },
			{ brand: null, batch: "S-2", units: 20, expires: "2041-01-31" },
		]),
		noId("LAST", [{ brand: null, batch: "L-1", units: 6 }]),
		noId(
			"RECALL",
			[1, 2, 3, 4, 5, 6].map((n) => ({ brand: null, batch: `R-${n}`, units: RECALL_LOT })),
		),
		noId(
			"FRAGILE",
			[1, 2, 3].map((n) => ({ brand: null, batch: `F-${n}`, units: FRAGILE_LOT })),
		),
		noId("PROMISED", [
			{ brand: null, batch: "D-1", units: 30, expires: "2044-01-31" },
			{ brand: null, batch: "D-3", units: 30, expires: "2043-01-31" },
			{ brand: "ACME", batch: "D-2", units: 40 },
		]),
	],
	skus: [
		{ sku: "A", kind: "single", parts: [{ formula: "PLENTY-A", perKit: 1 }], weight: 10 },
		{ sku: "B", kind: "single", parts: [{ formula: "PLENTY-B", perKit: 1 }], weight: 8 },
		{ sku: "C-PAIR", kind: "single", parts: [{ formula: "PLENTY-C", perKit: 2 }], weight: 6 },
		{ sku: "SA", kind: "single", parts: [{ formula: "SCARCE-A", perKit: 1 }], weight: 8 },
		{ sku: "SB-PAIR", kind: "single", parts: [{ formula: "SCARCE-B", perKit: 2 }], weight: 6 },
		{ sku: "SC", kind: "single", parts: [{ formula: "SCARCE-C", perKit: 1 }], weight: 8 },
		{ sku: "LAST", kind: "single", parts: [{ formula: "LAST", perKit: 1 }], weight: 6 },
		{ sku: "R", kind: "single", parts: [{ formula: "RECALL", perKit: 1 }], weight: 4 },
		{ sku: "F", kind: "single", parts: [{ formula: "FRAGILE", perKit: 1 }], weight: 4 },
		{ sku: "P", kind: "single", parts: [{ formula: "PROMISED", perKit: 1 }], weight: 7 },
		{
			sku: "KIT-AS",
			kind: "kit",
			parts: [
				{ formula: "PLENTY-A", perKit: 1 },
				{ formula: "SCARCE-A", perKit: 2 },
			],
			weight: 4,
		},
		{
			sku: "KIT-BCR",
			kind: "kit",
			parts: [
				{ formula: "PLENTY-B", perKit: 3 },
				{ formula: "SCARCE-C", perKit: 1 },
				{ formula: "RECALL", perKit: 1 },
			],
			weight: 4,
		},
		{ sku: "FEE", kind: "non_physical", parts: [], weight: 0 },
	],
	demand: [
		{ formula: "PROMISED", brand: null, units: 10 },
		{ formula: "PROMISED", brand: "ACME", units: 7 },
	],
	keys: [
		{ name: "acme-web", partner: "Acme", brand: "ACME", shared: true, cap: null, clients: 8 },
		{ name: "acme-own", partner: "Acme", brand: "ACME", shared: false, cap: null, clients: 4 },
		{ name: "bolt-web", partner: "Bolt", brand: "BOLT", shared: true, cap: null, clients: 6 },
		{ name: "open-web", partner: "Open", brand: null, shared: true, cap: null, clients: 6 },
		{ name: "capped", partner: "Capped", brand: null, shared: true, cap: 25, clients: 8 },
	],
	recalled: ["RECALL", "FRAGILE"],
	lossy: ["FRAGILE"],
	supplied: ["PLENTY-A", "PLENTY-B", "SCARCE-A", "SCARCE-B", "SCARCE-C", "LAST"],
};

/** The name of a pool in the name of a shelf. */
export const poolName = (brand: string | null): string => brand ?? "shared";

/** Pools that a request of this key draws from, its own brand's first; `named`: the brand that the request names. */
export function poolsOf(key: Pick<WorldKey, "brand" | "shared">, named: string | null): string[] {
	const brand = named ?? key.brand;
	return [...(brand === null ? [] : [brand]), ...(key.shared ? [poolName(null)] : [])];
}

/** The document for `holdfast import`, without the keys that have a cap: those are minted by a command. */
export function importOf(world: World): unknown {
	return {
		brands: world.brands.map((code) => ({ code, name: code })),
		formulas: world.formulas.map(({ code }) => ({ code, name: code, status: "active" })),
		skus: world.skus.map(({ sku, kind, parts }) => ({
			sku,
			name: sku,
			kind,
			components: parts.map(({ formula, perKit }) => ({ formula, per_kit: perKit })),
		})),
		lots: world.formulas.flatMap(({ code, lots }) =>
			lots.map(({ brand, batch, units, expires, outOfDate }) => ({
				formula: code,
				brand_code: brand,
				batch_number: batch,
				units,
				...(expires === undefined ? {} : { expires_on: expires }),
				...(outOfDate ? { expires_on: "2020-01-31", received_on: "2019-01-01" } : {}),
			})),
		),
		demand: world.demand.map(({ formula, brand, units }) => ({ formula, brand_code: brand, units, reference: "lab" })),
		partners: [...new Set(world.keys.map(({ partner }) => partner))].map((name) => ({ name })),
		keys: world.keys
			.filter(({ cap }) => cap === null)
			.map(({ name, partner, brand, shared }) => ({
				name,
				partner,
				environment: "live",
				brand_code: brand,
				scopes: KEY_SCOPES,
				shared_pool: shared,
				requests_per_minute: REQUESTS_PER_MINUTE,
			})),
	};
}

const ORDER_SCOPES = ["atp.orders", "atp.shipments", "atp.shipments.combine"];
export const KEY_SCOPES = [
	"atp.check",
	"atp.reserve",
	"atp.release",
	"atp.consume",
	"atp.inventory",
	"atp.products",
	"atp.summary",
	"atp.receipts",
	...ORDER_SCOPES,
	"atp.webhooks",
];
/** High enough that no rate limit ever decides an answer. */
export const REQUESTS_PER_MINUTE = 1_000_000;
