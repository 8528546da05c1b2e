import { chance } from "./chance.ts";
import { isPhysical, unitsPerPack } from "./classify.ts";
import type { Demand, Invoice } from "./invoices.ts";

/** A component of a SKU: `per_kit` units of a formula. Named as in world.json. */
export interface Component {
	readonly formula: string;
	readonly per_kit: number;
}

export interface Article {
	readonly sku: string;
	readonly name: string;
	readonly kind: "single" | "kit" | "non_physical";
	/** Empty for non-physical. */
	readonly components: readonly Component[];
}

/** A kit sold in place of its parts: the given number of each SKU. */
export interface Kit extends Article {
	readonly parts: readonly { readonly sku: string; readonly count: number }[];
}

export interface Catalogue {
	readonly articles: Map<string, Article>;
	readonly kits: readonly Kit[];
	/** Formula code to its name. */
	readonly formulas: Map<string, string>;
}

const KITS = 20;
/** Only goods bought this often are paired; this also limits the pairs to count. */
const POPULAR = 150;
/** Minimum joint sales of a pair to become a kit. */
const TOGETHER = 5;
/** Share of the kits that contain two of their first part. */
const UNEVEN_KITS = 0.3;

/** `85123A` and `85123a` are the same goods sold under two SKUs, so they share a formula. */
export const formulaOf = (code: string): string => code.toUpperCase();

/**
 * Derives the catalogue from the invoices: a SKU for each code, a formula for each physical article, and a few kits.
 */
export function toCatalogue(demand: Demand, seed: number): Catalogue {
	const articles = new Map<string, Article>();
	const formulas = new Map<string, string>();
	for (const [code, texts] of demand.descriptions) {
		const name = texts[0] ?? code;
		if (!isPhysical(code, texts)) {
			articles.set(code, { sku: code, name, kind: "non_physical", components: [] });
			continue;
		}
		const formula = formulaOf(code);
		if (!formulas.has(formula)) formulas.set(formula, name);
		const components = [{ formula, per_kit: unitsPerPack(name) }];
		articles.set(code, { sku: code, name, kind: "single", components });
	}
	const kits = makeKits(demand.invoices, articles, seed);
	for (const kit of kits) articles.set(kit.sku, kit);
	return { articles, kits, formulas };
}

/** The pairs of single units that are most often on the same sale. */
function makeKits(invoices: readonly Invoice[], articles: ReadonlyMap<string, Article>, seed: number): Kit[] {
	const pairs = new Map<string, number>();
	const popular = mostSold(invoices, articles);
	for (const invoice of invoices) {
		if (invoice.kind !== "sale") continue;
		const codes = [...new Set(invoice.lines.map((line) => line.code))].filter((code) => popular.has(code)).toSorted();
		for (const [i, first] of codes.entries()) {
			for (const second of codes.slice(i + 1)) {
				const pair = `${first} ${second}`;
				pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
			}
		}
	}
	return [...pairs]
		.filter(([pair, times]) => times >= TOGETHER && new Set(pair.split(" ").map(formulaOf)).size === 2)
		.toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
		.slice(0, KITS)
		.map(([pair]) => toKit(pair.split(" "), articles, seed));
}

function mostSold(invoices: readonly Invoice[], articles: ReadonlyMap<string, Article>): Set<string> {
	const sold = new Map<string, number>();
	for (const { kind, lines } of invoices) {
		if (kind !== "sale") continue;
		for (const { code } of lines) {
			const article = articles.get(code);
			if (article?.kind === "single" && article.components[0]?.per_kit === 1 && !code.includes(" ")) {
				sold.set(code, (sold.get(code) ?? 0) + 1);
			}
		}
	}
	const ranked = [...sold].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
	return new Set(ranked.slice(0, POPULAR).map(([code]) => code));
}

function toKit(codes: readonly string[], articles: ReadonlyMap<string, Article>, seed: number): Kit {
	const sku = `KIT-${codes.join("-")}`;
	const first = chance(seed, sku) < UNEVEN_KITS ? 2 : 1;
	const parts = codes.map((code, i) => ({ sku: code, count: i === 0 ? first : 1 }));
	const name = parts.map((part) => `${part.count} x ${articles.get(part.sku)?.name ?? part.sku}`).join(" + ");
	const components = parts.map((part) => ({ formula: formulaOf(part.sku), per_kit: part.count }));
	return { sku, name, kind: "kit", components, parts };
}
