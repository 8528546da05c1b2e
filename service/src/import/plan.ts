import { must } from "../lib/assert.ts";
import {
	KINDS,
	type Kind,
	naturalKey,
	type Placed,
	type Problem,
	pointAt,
	type RecipePart,
	type World,
} from "./entries.ts";

/** What is there already, by natural key. Holds at least everything the world names. */
export interface Existing {
	/** Brand code -> its pool. */
	readonly brands: ReadonlyMap<string, { readonly poolId: number; readonly name: string }>;
	readonly formulas: ReadonlyMap<
		string,
		{ readonly formulaId: string; readonly name: string; readonly status: string }
	>;
	readonly products: ReadonlyMap<string, { readonly name: string }>;
	readonly skus: ReadonlyMap<string, ExistingSku>;
	/** By formula, brand, batch. */
	readonly lots: ReadonlyMap<string, ExistingLot>;
	/** By formula, brand, reference -> units. */
	readonly demand: ReadonlyMap<string, number>;
	/** By formula, brand -> units. */
	readonly buffers: ReadonlyMap<string, number>;
	/** Name -> id. */
	readonly partners: ReadonlyMap<string, string>;
	/** By partner, name -> id. */
	readonly keys: ReadonlyMap<string, string>;
}
export interface ExistingSku {
	readonly name: string;
	readonly product: string | null;
	readonly kind: string;
	readonly vialSize: string | null;
	readonly components: readonly RecipePart[];
	readonly testBehaviour: string | null;
}
export interface ExistingLot {
	readonly fgId: string;
	readonly expiresOn: string | null;
	/** Units received in all so far. */
	readonly received: number;
	/** Of those, what imports brought. Null where nobody needs to know: the file does not ask for fewer than were received. */
	readonly imported: number | null;
}

export interface Diff<T> {
	readonly created: readonly T[];
	readonly changed: readonly T[];
	readonly unchanged: readonly T[];
}
/** What an import will do. */
export type Plan = { readonly [K in Kind]: Diff<World[K][number]> };

type Verdict = "created" | "changed" | "unchanged";

/** Every natural key of the world's sections; two entries with one key contradict each other. */
const KEY_OF: { readonly [K in Kind]: (entry: World[K][number]) => string } = {
	brands: ({ code }) => code,
	formulas: ({ code }) => code,
	products: ({ slug }) => slug,
	skus: ({ sku }) => sku,
	lots: ({ formula, brandCode, batchNumber }) => naturalKey(formula, brandCode, batchNumber),
	demand: ({ formula, brandCode, reference }) => naturalKey(formula, brandCode, reference),
	buffers: ({ formula, brandCode }) => naturalKey(formula, brandCode),
	partners: ({ name }) => name,
	keys: ({ partner, name }) => naturalKey(partner, name),
};
export const keyOf = <K extends Kind>(kind: K, entry: World[K][number]): string => KEY_OF[kind](entry);

/** Compares the world with what exists (issue 2, point 6; decisions.md, section 11). Any problem stops the whole import. */
export function planImport(world: World, existing: Existing): { plan: Plan; problems: Problem[] } {
	const problems = [...repeated(world), ...dangling(world, existing), ...refusedChanges(world, existing)];
	const judge = VERDICTS(existing);
	const plan = Object.fromEntries(
		KINDS.map((kind) => [kind, diff(world[kind] as Placed[], judge[kind] as (entry: Placed) => Verdict)]),
	) as unknown as Plan;
	return { plan, problems };
}

function diff<T>(entries: readonly T[], judge: (entry: T) => Verdict): Diff<T> {
	const sorted: Record<Verdict, T[]> = { created: [], changed: [], unchanged: [] };
	for (const entry of entries) sorted[judge(entry)].push(entry);
	return sorted;
}

const verdict = (exists: boolean, same: boolean): Verdict => (exists ? (same ? "unchanged" : "changed") : "created");

const VERDICTS = (existing: Existing): { [K in Kind]: (entry: World[K][number]) => Verdict } => ({
	brands: ({ code, name }) => verdict(existing.brands.has(code), existing.brands.get(code)?.name === name),
	formulas: (entry) => {
		const was = existing.formulas.get(entry.code);
		return verdict(was !== undefined, was?.name === entry.name && was.status === entry.status);
	},
	products: ({ slug, name }) => verdict(existing.products.has(slug), existing.products.get(slug)?.name === name),
	skus: (entry) => {
		const was = existing.skus.get(entry.sku);
		return verdict(was !== undefined, was !== undefined && sameSku(entry, was));
	},
	lots: (entry) => {
		const was = existing.lots.get(keyOf("lots", entry));
		return verdict(was !== undefined, entry.units <= (was?.received ?? 0));
	},
	demand: (entry) => countVerdict(existing.demand.get(keyOf("demand", entry)), entry.units),
	buffers: (entry) => countVerdict(existing.buffers.get(keyOf("buffers", entry)), entry.units),
	partners: ({ name }) => verdict(existing.partners.has(name), true),
	keys: (entry) => verdict(existing.keys.has(keyOf("keys", entry)), true),
});

/** No units and no row are the same thing. */
const countVerdict = (was: number | undefined, units: number): Verdict =>
	was === undefined && units === 0 ? "unchanged" : verdict(was !== undefined, was === units);

const sameSku = (a: ExistingSku, b: ExistingSku): boolean =>
	a.name === b.name &&
	a.product === b.product &&
	a.kind === b.kind &&
	a.vialSize === b.vialSize &&
	a.testBehaviour === b.testBehaviour &&
	a.components.length === b.components.length &&
	a.components.every(
		({ formula, perKit }, i) => b.components[i]?.formula === formula && b.components[i].perKit === perKit,
	);

function repeated(world: World): Problem[] {
	return KINDS.flatMap((kind) => {
		const first = new Map<string, Placed>();
		return (world[kind] as Placed[]).flatMap((entry) => {
			const key = keyOf(kind, entry as never);
			const earlier = first.get(key);
			if (!earlier) {
				first.set(key, entry);
				return [];
			}
			return [{ at: pointAt(entry.at), message: `is the same as ${pointAt(earlier.at)}: keep one of the two` }];
		});
	});
}

/** Names that lead nowhere: neither in the world nor there already. */
function dangling(world: World, existing: Existing): Problem[] {
	const formulas = new Set(world.formulas.map(({ code }) => code));
	const brands = new Set(world.brands.map(({ code }) => code));
	const products = new Set(world.products.map(({ slug }) => slug));
	const partners = new Set(world.partners.map(({ name }) => name));
	const problems: Problem[] = [];
	const need = (known: boolean, entry: Placed, pointer: string, what: string, name: string, section: Kind): void => {
		if (known) return;
		const message = `there is no ${what} ${JSON.stringify(name)}: add it to ${section}, or correct the name`;
		problems.push({ at: pointAt(entry.at, pointer), message });
	};
	const needFormula = (entry: Placed, pointer: string, code: string): void =>
		need(formulas.has(code) || existing.formulas.has(code), entry, pointer, "formula", code, "formulas");
	const needBrand = (entry: Placed, code: string | null): void => {
		if (code !== null)
			need(brands.has(code) || existing.brands.has(code), entry, "/brand_code", "brand", code, "brands");
	};
	for (const sku of world.skus) {
		const { product } = sku;
		if (product !== null) {
			need(products.has(product) || existing.products.has(product), sku, "/product", "product", product, "products");
		}
		for (const [i, { formula }] of sku.components.entries()) needFormula(sku, `/components/${i}/formula`, formula);
	}
	for (const entry of [...world.lots, ...world.demand, ...world.buffers]) {
		needFormula(entry, "/formula", entry.formula);
		needBrand(entry, entry.brandCode);
	}
	for (const key of world.keys) {
		const { partner } = key;
		need(partners.has(partner) || existing.partners.has(partner), key, "/partner", "partner", partner, "partners");
		needBrand(key, key.brandCode);
	}
	return problems;
}

function refusedChanges(world: World, existing: Existing): Problem[] {
	return world.lots.flatMap((lot) => {
		const was = existing.lots.get(keyOf("lots", lot));
		if (!was) return [];
		if (was.expiresOn !== lot.expiresOn) {
			const message = `this lot expires ${was.expiresOn ?? "never"}, not ${lot.expiresOn ?? "never"}: give the other stock its own batch number`;
			return [{ at: pointAt(lot.at, "/expires_on"), message }];
		}
		// more may have come by `stock receive` since: those are neither taken off nor asked for again
		const imported = lot.units < was.received ? must(was.imported, "what imports brought") : 0;
		if (lot.units >= imported) return [];
		const message = `imports have brought this lot ${imported} units, more than ${lot.units}: leave ${imported} or more here, and take units off with \`holdfast stock correct ${was.fgId} --units -N --reason …\``;
		return [{ at: pointAt(lot.at, "/units"), message }];
	});
}
