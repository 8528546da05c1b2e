import { must } from "../../ground/lib/assert.ts";
import { nearest } from "../../ground/lib/nearest.ts";
import { flatMapPaced, type Paced } from "../../ground/lib/paced.ts";
import { quotedCommand } from "../../ground/lib/typed-command.ts";
import { sameFormula, sameSku } from "../../inventory/catalog/entries.ts";
import type { KnownEntries } from "../../inventory/catalog/find-entries.ts";
import { nearlyThat } from "../../inventory/stock/find-lot.ts";
import { batchSpelling } from "../../inventory/stock/lot.ts";
import {
	type EntryKind,
	type EntryOf,
	KINDS,
	naturalKey,
	type Place,
	type Placed,
	type Problem,
	pointAt,
	type Unread,
	type World,
} from "./entries.ts";

/** Existing names, by section. */
export type KnownNames = { readonly [section in NamedSection]: ReadonlyMap<string, unknown> };
/** For each section with an unknown reference, all its existing names. */
export type OtherNames = { readonly [section in NamedSection]?: readonly string[] };

/** The existing entries by natural key: at least all those that the world names. */
export interface Existing extends KnownEntries {
	/** By formula, brand, batch. */
	readonly lots: ReadonlyMap<string, ExistingLot>;
	/** By formula, brand, reference -> units. */
	readonly demand: ReadonlyMap<string, number>;
	/**
	 * Lots with a new batch number that is close to an existing one: formula, brand, batch -> the existing batch
	 * number.
	 */
	readonly batchMeant: ReadonlyMap<string, string>;
	/** By formula, brand -> units. */
	readonly buffers: ReadonlyMap<string, number>;
	/** Name -> id. */
	readonly partners: ReadonlyMap<string, string>;
	/** By partner, name -> id. */
	readonly keys: ReadonlyMap<string, string>;
	/** Existing names to suggest for unknown ones. */
	readonly others: OtherNames;
}
export interface ExistingLot {
	readonly fgId: string;
	readonly expiresOn: string | null;
	/** Units received in total so far. */
	readonly received: number;
	/**
	 * How many of these units were received by imports. Null if that is not needed, because the file asks for no fewer
	 * units than were received.
	 */
	readonly imported: number | null;
}

export interface Diff<T> {
	readonly created: readonly T[];
	readonly changed: readonly T[];
	readonly unchanged: readonly T[];
}
/** The changes that an import will make. */
export type Plan = { readonly [K in EntryKind]: Diff<Placed<EntryOf[K]>> };

type Verdict = "created" | "changed" | "unchanged";

/** The natural key for each section; two entries with the same key contradict each other. */
export const KEY_OF: { readonly [K in EntryKind]: (entry: EntryOf[K]) => string } = {
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
 * Compares the world with the existing entries (settlements, section 11). Any problem stops the whole import. `unread`
 * are the problems of reading: their rows are not in the world, but other entries may refer to them. `newBatches`
 * accepts batch numbers that differ only slightly from others.
 */
export function* planImport(
	world: World,
	existing: Existing,
	{ unread = [], newBatches = false }: { readonly unread?: readonly Problem[]; readonly newBatches?: boolean } = {},
): Paced<{ plan: Plan; problems: Problem[] }> {
	const problems = [
		...unread,
		...(yield* repeated(world)),
		...(yield* dangling(world, existing, unread)),
		...(yield* refusedChanges(world, existing)),
		...(newBatches ? [] : yield* misspeltBatches(world, existing)),
	];
	const judge = VERDICTS(existing);
	const plan: { [kind in EntryKind]?: Diff<Placed> } = {};
	for (const kind of KINDS) plan[kind] = yield* diff(world[kind], judge[kind] as (entry: unknown) => Verdict);
	return { plan: plan as unknown as Plan, problems };
}

function* diff(entries: readonly Placed[], judge: (entry: unknown) => Verdict): Paced<Diff<Placed>> {
	const judged = yield* flatMapPaced(entries, (placed) => [{ placed, verdict: judge(placed.entry) }]);
	const of = (which: Verdict) => judged.filter(({ verdict: one }) => one === which).map(({ placed }) => placed);
	return { created: of("created"), changed: of("changed"), unchanged: of("unchanged") };
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

/** No row means zero units. */
const countVerdict = (was: number | undefined, units: number): Verdict =>
	was === undefined && units === 0 ? "unchanged" : verdict(was !== undefined, was === units);

function* repeated(world: World): Paced<Problem[]> {
	const problems: Problem[] = [];
	for (const kind of KINDS) {
		const first = new Map<string, Place>();
		const again = yield* flatMapPaced(world[kind] as readonly Placed[], ({ at, entry }) => {
			const key = keyOf(kind, entry as never);
			const earlier = first.get(key);
			if (earlier === undefined) first.set(key, at);
			return earlier === undefined ? [] : [repeats(at, earlier)];
		});
		for (const problem of again) problems.push(problem);
	}
	return problems;
}

const repeats = (at: Place, earlier: Place): Problem => ({
	at: pointAt(at),
	message: `is the same as ${pointAt(earlier)}: keep one of the two`,
});

const ONE_OF = { formulas: "formula", brands: "brand", products: "product", partners: "partner" } as const;
/** Sections that other entries refer to. */
export type NamedSection = keyof typeof ONE_OF;

/** A reference by name to another entry. */
export interface Reference {
	readonly section: NamedSection;
	readonly name: string;
	readonly at: string;
}
type Named = readonly [section: NamedSection, name: string | null | undefined, pointer: string];

const ofShelf = ({ formula, brandCode }: { formula: string; brandCode: string | null }): Named[] => [
	["formulas", formula, "/formula"],
	["brands", brandCode, "/brand_code"],
];
const NAMED_BY: { readonly [K in EntryKind]?: (entry: EntryOf[K]) => readonly Named[] } = {
	skus: ({ product, components }) => [
		["products", product, "/product"],
		...components.map(({ formula }, i): Named => ["formulas", formula, `/components/${i}/formula`]),
	],
	lots: ofShelf,
	demand: ofShelf,
	buffers: ofShelf,
	keys: ({ partner, brandCode }) => [
		["partners", partner, "/partner"],
		["brands", brandCode, "/brand_code"],
	],
};

/** All references, including those in rows that were only partly readable. */
export function* referencesIn(world: World, unread: readonly Problem[]): Paced<Reference[]> {
	const found: Reference[] = [];
	for (const kind of KINDS) {
		const rows: readonly Placed[] = [...world[kind], ...rowsOf(kind, unread)];
		const ofKind = yield* flatMapPaced(rows, ({ at, entry }) =>
			(NAMED_BY[kind]?.(entry as never) ?? []).flatMap(([section, name, pointer]) =>
				typeof name === "string" ? [{ section, name, at: pointAt(at, pointer) }] : [],
			),
		);
		for (const reference of ofKind) found.push(reference);
	}
	return found;
}

/** The readable parts of the wrong rows of a section. */
function rowsOf(kind: EntryKind, unread: readonly Problem[]): Placed[] {
	const rows = unread.map((problem) => problem.unread).filter((one) => one?.section === kind);
	return [...new Set(rows)].flatMap((one) => one?.row ?? []);
}

/**
 * References that are neither in the world nor among the existing entries, and cannot be in rows that could not be
 * read.
 */
export function* danglingIn(world: World, existing: KnownNames, unread: readonly Problem[]): Paced<Reference[]> {
	const names = (Object.keys(ONE_OF) as NamedSection[]).map((section) => [section, namesIn(section, world, unread)]);
	const known = Object.fromEntries(names) as Record<NamedSection, ReturnType<typeof namesIn>>;
	const references = yield* referencesIn(world, unread);
	return references.filter(
		({ section, name }) => known[section] !== "anything" && !known[section].has(name) && !existing[section].has(name),
	);
}

/** The names of a section; `anything` is true when some of them could not be read. */
function namesIn(section: NamedSection, world: World, unread: readonly Problem[]): ReadonlySet<string> | "anything" {
	const isHidden = ({ unread: one }: Problem): boolean =>
		one !== undefined && (one.section === null || (one.section === section && nameOf(one) === undefined));
	const nameOf = (one: Unread): string | undefined => one.row && KEY_OF[section](one.row.entry as never);
	if (unread.some(isHidden)) return "anything";
	const placed = [...world[section], ...rowsOf(section, unread)];
	return new Set(placed.map(({ entry }) => KEY_OF[section](entry as never)));
}

/** Names compared in total to find suggestions: a million takes a few seconds. */
const MAX_COMPARED = 200_000;

function* dangling(world: World, existing: Existing, unread: readonly Problem[]): Paced<Problem[]> {
	const guesses = new Map<string, string | null>();
	let compared = 0;
	const guess = (section: NamedSection, name: string): string | null => {
		const key = naturalKey(section, name);
		if (!guesses.has(key) && compared < MAX_COMPARED) {
			const placed = world[section] as readonly Placed[];
			const names = [
				...placed.map(({ entry }) => KEY_OF[section](entry as never)),
				...(existing.others[section] ?? []),
			];
			compared += names.length;
			guesses.set(key, nearest(name, names));
		}
		return guesses.get(key) ?? null;
	};
	const references = yield* danglingIn(world, existing, unread);
	return references.map(({ section, name, at }) => {
		const meant = guess(section, name);
		const advice =
			meant === null
				? `add it to ${section}, or correct the name`
				: `did you mean ${JSON.stringify(meant)}? Otherwise add it to ${section}`;
		return { at, message: `there is no ${ONE_OF[section]} ${JSON.stringify(name)}: ${advice}` };
	});
}

/**
 * New batch numbers that differ from another of their formula, in the file or the database, only in capitals, blanks,
 * hyphens or dots.
 */
function misspeltBatches({ lots }: World, { batchMeant, lots: known }: Existing): Paced<Problem[]> {
	const first = new Map<string, string>();
	return flatMapPaced(lots, ({ at, entry }) => {
		const { formula, batchNumber } = entry;
		const key = naturalKey(formula, batchSpelling(batchNumber));
		if (!first.has(key)) first.set(key, batchNumber);
		const inFile = first.get(key) === batchNumber ? undefined : first.get(key);
		const meant = batchMeant.get(keyOf("lots", entry)) ?? inFile;
		if (meant === undefined || known.has(keyOf("lots", entry))) return [];
		const message = `${nearlyThat(formula, meant)}? To import ${JSON.stringify(batchNumber)} as another batch, set new_batch`;
		return [{ at: pointAt(at, "/batch_number"), message }];
	});
}

function refusedChanges(world: World, existing: Existing): Paced<Problem[]> {
	return flatMapPaced(world.lots, ({ at, entry: lot }) => {
		const was = existing.lots.get(keyOf("lots", lot));
		if (!was) return [];
		if (lot.expiresOn !== undefined && was.expiresOn !== lot.expiresOn) {
			const message = `this lot expires ${was.expiresOn ?? "never"}, not ${lot.expiresOn ?? "never"}: give the other stock its own batch number`;
			return [{ at: pointAt(at, "/expires_on"), message }];
		}
		// `stock receive` may have added units since, which are neither removed nor required in the file
		const imported = lot.units < was.received ? must(was.imported, "what imports brought") : 0;
		if (lot.units >= imported) return [];
		const message = `imports have brought this lot ${imported} units, more than ${lot.units}: leave ${imported} or more here, and take units off with ${quotedCommand(`stock correct ${was.fgId} --units -N --reason …`)}`;
		return [{ at: pointAt(at, "/units"), message }];
	});
}
