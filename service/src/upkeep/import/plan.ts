import { must } from "../../ground/lib/assert.ts";
import { quotedCommand } from "../../ground/lib/typed-command.ts";
import { sameFormula, sameSku } from "../../inventory/catalog/entries.ts";
import type { KnownEntries } from "../../inventory/catalog/find-entries.ts";
import {
	type EntryKind,
	type EntryOf,
	KINDS,
	naturalKey,
	type Place,
	type Placed,
	type Problem,
	pointAt,
	type World,
} from "./entries.ts";

/** What is there already, by natural key. Holds at least everything the world names. */
export interface Existing extends KnownEntries {
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
export interface ExistingLot {
	readonly fgId: string;
	readonly expiresOn: string | null;
	/** Units received in all so far. */
	readonly received: number;
	/**
	 * Of those, what imports brought. Null where nobody needs to know: the file does not ask for fewer than were
	 * received.
	 */
	readonly imported: number | null;
}

export interface Diff<T> {
	readonly created: readonly T[];
	readonly changed: readonly T[];
	readonly unchanged: readonly T[];
}
/** What an import will do. */
export type Plan = { readonly [K in EntryKind]: Diff<Placed<EntryOf[K]>> };

type Verdict = "created" | "changed" | "unchanged";

/** Every natural key of the world's sections; two entries with one key contradict each other. */
const KEY_OF: { readonly [K in EntryKind]: (entry: EntryOf[K]) => string } = {
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
export const keyOf = <K extends EntryKind>(kind: K, entry: EntryOf[K]): string => KEY_OF[kind](entry);

/**
 * Compares the world with what exists (settlements, section 11). Any problem stops the whole import. `unread` is what
 * was wrong with the input already: its rows are not in the world, and may be what others name.
 */
export function planImport(
	world: World,
	existing: Existing,
	unread: readonly Problem[] = [],
): { plan: Plan; problems: Problem[] } {
	const problems = [
		...unread,
		...repeated(world),
		...dangling(world, existing, unread),
		...refusedChanges(world, existing),
	];
	const judge = VERDICTS(existing);
	const plan = Object.fromEntries(
		KINDS.map((kind) => [kind, diff(world[kind], judge[kind] as (entry: unknown) => Verdict)]),
	) as unknown as Plan;
	return { plan, problems };
}

function diff(entries: readonly Placed[], judge: (entry: unknown) => Verdict): Diff<Placed> {
	const sorted: Record<Verdict, Placed[]> = { created: [], changed: [], unchanged: [] };
	for (const placed of entries) sorted[judge(placed.entry)].push(placed);
	return sorted;
}

const verdict = (exists: boolean, same: boolean): Verdict => (exists ? (same ? "unchanged" : "changed") : "created");

const VERDICTS = (existing: Existing): { [K in EntryKind]: (entry: EntryOf[K]) => Verdict } => ({
	brands: ({ code, name }) => verdict(existing.brands.has(code), existing.brands.get(code)?.name === name),
	formulas: (entry) => {
		const was = existing.formulas.get(entry.code);
		return verdict(was !== undefined, was !== undefined && sameFormula(entry, was));
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

function repeated(world: World): Problem[] {
	return KINDS.flatMap((kind) => {
		const first = new Map<string, Place>();
		return world[kind].flatMap(({ at, entry }) => {
			const key = keyOf(kind, entry as never);
			const earlier = first.get(key);
			if (!earlier) {
				first.set(key, at);
				return [];
			}
			return [{ at: pointAt(at), message: `is the same as ${pointAt(earlier)}: keep one of the two` }];
		});
	});
}

const ONE_OF = { formulas: "formula", brands: "brand", products: "product", partners: "partner" } as const;

/** Names that lead nowhere: neither in the world nor there already, nor perhaps in a row that could not be read. */
function dangling(world: World, existing: Existing, unread: readonly Problem[]): Problem[] {
	const sections = new Set(unread.map((problem) => problem.unread));
	const has = {
		formulas: namesOf(world.formulas, ({ code }) => code, existing.formulas),
		brands: namesOf(world.brands, ({ code }) => code, existing.brands),
		products: namesOf(world.products, ({ slug }) => slug, existing.products),
		partners: namesOf(world.partners, ({ name }) => name, existing.partners),
	};
	const problems: Problem[] = [];
	const need = (section: keyof typeof has, name: string | null, at: Place, pointer: string): void => {
		if (name === null || has[section](name) || sections.has(section) || sections.has(null)) return;
		const message = `there is no ${ONE_OF[section]} ${JSON.stringify(name)}: add it to ${section}, or correct the name`;
		problems.push({ at: pointAt(at, pointer), message });
	};
	for (const { at, entry } of world.skus) {
		need("products", entry.product, at, "/product");
		for (const [i, { formula }] of entry.components.entries())
			need("formulas", formula, at, `/components/${i}/formula`);
	}
	for (const { at, entry } of [...world.lots, ...world.demand, ...world.buffers]) {
		need("formulas", entry.formula, at, "/formula");
		need("brands", entry.brandCode, at, "/brand_code");
	}
	for (const { at, entry } of world.keys) {
		need("partners", entry.partner, at, "/partner");
		need("brands", entry.brandCode, at, "/brand_code");
	}
	return problems;
}

/** Is a name in the world's section, or there already? */
function namesOf<T>(
	section: readonly Placed<T>[],
	name: (entry: T) => string,
	existing: ReadonlyMap<string, unknown>,
): (wanted: string) => boolean {
	const names = new Set(section.map(({ entry }) => name(entry)));
	return (wanted) => names.has(wanted) || existing.has(wanted);
}

function refusedChanges(world: World, existing: Existing): Problem[] {
	return world.lots.flatMap(({ at, entry: lot }) => {
		const was = existing.lots.get(keyOf("lots", lot));
		if (!was) return [];
		if (lot.expiresOn !== undefined && was.expiresOn !== lot.expiresOn) {
			const message = `this lot expires ${was.expiresOn ?? "never"}, not ${lot.expiresOn ?? "never"}: give the other stock its own batch number`;
			return [{ at: pointAt(at, "/expires_on"), message }];
		}
		// more may have come by `stock receive` since: those are neither taken off nor asked for again
		const imported = lot.units < was.received ? must(was.imported, "what imports brought") : 0;
		if (lot.units >= imported) return [];
		const message = `imports have brought this lot ${imported} units, more than ${lot.units}: leave ${imported} or more here, and take units off with ${quotedCommand(`stock correct ${was.fgId} --units -N --reason …`)}`;
		return [{ at: pointAt(at, "/units"), message }];
	});
}
