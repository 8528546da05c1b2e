/** The measurements: a cell is one server, one kind of request and one number of connections. */
import { CUSTOMER, HOLD_TOKEN_PREFIX } from "./order-sql.ts";
import type { RequestTemplate } from "./request.ts";
import type { WireStyle } from "./wire.ts";

/**
 * `fresh`: a new database every round, without holds. `full`: 100,000 SKUs and 1,000,000 past holds. `orders`:
 * 1,000,000 shipped orders, and holds that can be placed.
 */
export type WorldName = "fresh" | "full" | "orders";
/**
 * The server: the service; its gate alone; one transaction per request behind the same gate; the database without HTTP,
 * by a script of statements or by one server-side call.
 */
export type Target = "service" | "gate" | "plain" | WireStyle;
export type Asked =
	| "reserve"
	| "check"
	| "inventory"
	| "products"
	| "summary"
	| "place"
	| "shipments"
	| "shipments-middle";
/** Whether requests pick random SKUs or all use the same. */
export type Spread = "spread" | "hot";

export interface Cell {
	readonly id: string;
	readonly world: WorldName;
	readonly target: Target;
	readonly asked: Asked;
	readonly spread: Spread;
	/** 0 for the database alone, whose best number is found by trying. */
	readonly connections: number;
}

/** Connections for the reads. */
const READ_CONNECTIONS = 64;
/** Lines in one check. */
const CHECK_LINES = 10;
/** SKUs in a page of products, and formulas in one of the summary: the maximum; two pages have 1,000. */
export const PRODUCTS_PAGE = 500;
/** A page of products or of the summary is large, so fewer connections keep the processor as busy. */
const PRODUCTS_CONNECTIONS = 8;

export const cellId = (world: WorldName, target: Target, asked: Asked, spread: Spread, connections: number): string =>
	[world, target, asked, ...(asked === "reserve" ? [spread] : []), ...(connections > 0 ? [connections] : [])].join("/");

/** Connections for placing. */
const PLACE_CONNECTIONS = 64;
/** Boxes in a page of shipments: the maximum. */
export const SHIPMENTS_PAGE = 500;
/** A page of shipments is large, so fewer connections keep the processor as busy. */
const SHIPMENTS_CONNECTIONS = 4;

const cell = (world: WorldName, target: Target, asked: Asked, spread: Spread, connections: number): Cell => {
	return { id: cellId(world, target, asked, spread, connections), world, target, asked, spread, connections };
};
const reserves = (world: WorldName, target: Target, spread: Spread, ...connections: number[]): Cell[] =>
	connections.map((count) => cell(world, target, "reserve", spread, count));
const reads = (world: WorldName, target: Target): Cell[] => [
	cell(world, target, "check", "spread", READ_CONNECTIONS),
	cell(world, target, "inventory", "spread", READ_CONNECTIONS),
	cell(world, target, "products", "spread", PRODUCTS_CONNECTIONS),
	cell(world, target, "summary", "spread", PRODUCTS_CONNECTIONS),
];

/** In the order of a round: cells that are compared are close together. */
export const CELLS: readonly Cell[] = [
	...reserves("fresh", "service", "spread", 64),
	...reserves("fresh", "service", "hot", 64),
	...reserves("fresh", "gate", "spread", 64),
	...reserves("full", "service", "spread", 64),
	...reserves("full", "service", "hot", 64),
	...reserves("fresh", "service", "spread", 256),
	...reserves("fresh", "service", "hot", 256),
	...reserves("fresh", "gate", "spread", 256),
	...reserves("full", "service", "spread", 256),
	...reserves("full", "service", "hot", 256),
	...reserves("fresh", "plain", "spread", 64, 256),
	...reserves("fresh", "plain", "hot", 64, 256),
	...reserves("fresh", "script", "spread", 0),
	...reserves("fresh", "script", "hot", 0),
	...reserves("fresh", "call", "spread", 0),
	...reserves("fresh", "call", "hot", 0),
	...reserves("fresh", "service", "spread", 1),
	...reserves("fresh", "plain", "spread", 1),
	...reserves("fresh", "service", "hot", 1),
	...reserves("fresh", "gate", "spread", 1),
	...reads("fresh", "service"),
	...reads("fresh", "gate"),
	...reads("full", "service"),
	cell("orders", "service", "place", "spread", PLACE_CONNECTIONS),
	cell("orders", "gate", "place", "spread", PLACE_CONNECTIONS),
	cell("orders", "plain", "place", "spread", PLACE_CONNECTIONS),
	cell("orders", "service", "shipments", "spread", SHIPMENTS_CONNECTIONS),
	cell("orders", "service", "shipments-middle", "spread", SHIPMENTS_CONNECTIONS),
];

const SKU = "SKU-{sku}";

/** Cursors used in requests. */
export interface Cursors {
	/** Start of the second page of products. */
	readonly products: string;
	/** Start of the second page of the summary. */
	readonly summary: string;
	/** Start of the middle page of shipments. */
	readonly shipments: string;
}

/** Of operations that need none. */
export const NO_CURSORS: Cursors = { products: "", summary: "", shipments: "" };

/** The requests of a cell; each connection sends them in turn. */
export function templatesOf(
	{ asked, target }: Pick<Cell, "asked" | "target">,
	cursors: Cursors,
): readonly RequestTemplate[] {
	switch (asked) {
		case "place": {
			// the gate alone does not place anything, so it must not use up holds
			const number = target === "gate" ? "000000{sku}" : "{hold}";
			const customer = JSON.parse(CUSTOMER()) as unknown;
			const body = JSON.stringify({ reservation_token: `${HOLD_TOKEN_PREFIX}${number}`, customer });
			return [{ method: "POST", path: "/api/v1/orders", headers: ["Idempotency-Key: {ref}"], body }];
		}
		case "shipments":
			return [{ method: "GET", path: `/api/v1/shipments?limit=${SHIPMENTS_PAGE}` }];
		case "shipments-middle":
			return [{ method: "GET", path: `/api/v1/shipments?limit=${SHIPMENTS_PAGE}&cursor=${cursors.shipments}` }];
		case "reserve": {
			const body = JSON.stringify({ items: [{ sku: SKU, qty: 1 }], external_ref: "{ref}" });
			return [{ method: "POST", path: "/api/v1/reserve", body }];
		}
		case "check": {
			const items = Array.from({ length: CHECK_LINES }, () => ({ sku: SKU, qty: 1 }));
			return [{ method: "POST", path: "/api/v1/check", body: JSON.stringify({ items }) }];
		}
		case "inventory":
			return [{ method: "GET", path: `/api/v1/inventory?sku=${SKU}` }];
		case "products":
			return twoPages("/api/v1/products", cursors.products);
		case "summary":
			return twoPages("/api/v1/inventory/summary", cursors.summary);
	}
}

function twoPages(of: string, cursor: string): RequestTemplate[] {
	const page = `${of}?limit=${PRODUCTS_PAGE}`;
	return [page, `${page}&cursor=${encodeURIComponent(cursor)}`].map((path) => ({ method: "GET", path }));
}

export const statusOf = (asked: Asked): number => (asked === "reserve" || asked === "place" ? 201 : 200);

/** Lists whose cursors belong to one key. */
export const isOfOneKey = (asked: Asked): boolean =>
	asked === "products" || asked === "summary" || asked.startsWith("shipments");
