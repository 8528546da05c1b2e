import type { Catalogue } from "./catalogue.ts";
import { BRANDS, CHANNELS } from "./channels.ts";
import type { Stock } from "./stock.ts";

/** Keys get the highest rate limit that the service allows, because the replay measures and must not wait. */
const REQUESTS_PER_MINUTE = 1_000_000;

/** Scopes of a partner that ships some orders itself and has others shipped, also several in one box. */
const SCOPES = [
	"atp.products",
	"atp.inventory",
	"atp.check",
	"atp.reserve",
	"atp.release",
	"atp.consume",
	"atp.orders",
	"atp.shipments",
	"atp.shipments.combine",
	"atp.receipts",
];

/** The document for `holdfast import`: the catalogue, its stock, and a key for each channel. */
export function toWorld({ articles, formulas }: Catalogue, stock: Stock) {
	return {
		brands: BRANDS,
		formulas: [...formulas].map(([code, name]) => ({ code, name, status: "active" })),
		products: [...formulas].map(([code, name]) => ({ slug: slugOf(code), name })),
		skus: [...articles.values()].map(({ sku, name, kind, components }) => ({
			sku,
			name,
			...(kind === "single" && components[0] ? { product: slugOf(components[0].formula) } : {}),
			kind,
			components,
		})),
		lots: stock.lots,
		demand: stock.demand,
		buffers: stock.buffers,
		partners: [...new Set(CHANNELS.map((channel) => channel.partner))].map((name) => ({ name })),
		keys: CHANNELS.map(({ name, partner, brand, shared }) => ({
			name,
			partner,
			environment: "live",
			brand_code: brand,
			scopes: SCOPES,
			shared_pool: shared,
			requests_per_minute: REQUESTS_PER_MINUTE,
		})),
	};
}

const slugOf = (formula: string): string => `item-${formula.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
