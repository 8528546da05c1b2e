/** A page of the shop. Words and prices are the shop's own; `sku` and `slug` came with the key, from the operator. */
export interface Product {
	readonly id: string;
	readonly name: string;
	readonly cents: number;
	/** The page shows the count of this SKU. */
	readonly sku: string;
	/** The page shows the certificates of this product of the manufacturer. */
	readonly slug: string;
}

/** The sandbox has a SKU for each case that a shop meets. */
export const PRODUCTS: readonly Product[] = [
	{ id: "glow-serum", name: "Glow serum", cents: 2900, sku: "SBX-PLENTY", slug: "sbx-plenty" },
	{ id: "night-cream", name: "Night cream", cents: 4500, sku: "SBX-LOW", slug: "sbx-low" },
	{ id: "travel-set", name: "Travel set", cents: 5200, sku: "SBX-KIT", slug: "sbx-kit" },
	{ id: "eye-gel", name: "Eye gel", cents: 3300, sku: "SBX-OUT", slug: "sbx-out" },
	{ id: "hand-balm", name: "Hand balm", cents: 1200, sku: "SBX-HELD", slug: "sbx-held" },
];

export const productOf = (id: string): Product | undefined => PRODUCTS.find((product) => product.id === id);

/** Quantities by product id. */
export type Lines = Readonly<Record<string, number>>;

export const linesOf = (lines: Lines): { product: Product; qty: number }[] =>
	PRODUCTS.flatMap((product) => ((lines[product.id] ?? 0) > 0 ? [{ product, qty: lines[product.id] ?? 0 }] : []));

export const totalOf = (lines: Lines): number =>
	linesOf(lines).reduce((sum, { product, qty }) => sum + qty * product.cents, 0);

export const priceOf = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
