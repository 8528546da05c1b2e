import type { Brand, FormulaEntry, Product, SkuEntry } from "../../inventory/catalog/entries.ts";
import type { SafetyBuffer } from "../../inventory/stock/set-buffers.ts";
import type { Demand } from "../../inventory/stock/set-demand.ts";
import type { MintRequest } from "../../partners/keys/key-rules.ts";

/** Where an entry stands in its file: at a JSON pointer or on a line. Every error names it. */
export interface Place {
	readonly file: string;
	/** JSON pointer, or the number of the line. */
	readonly spot: string | number;
}

/** `world.json /skus/3/kind` or `skus.csv line 5, kind`, for a field given as a pointer below the entry. */
export function pointAt({ file, spot }: Place, pointer = ""): string {
	if (typeof spot === "string") return `${file} ${spot}${pointer}`.trimEnd();
	const column = pointer.split("/")[1];
	return `${file} line ${spot}${column ? `, ${column}` : ""}`;
}

export interface LotEntry {
	readonly formula: string;
	readonly brandCode: string | null;
	readonly batchNumber: string;
	/** Null: never. Undefined: the lot's own, and of a new lot never. */
	readonly expiresOn: string | null | undefined;
	/** Null: today, in the operator's time zone. */
	readonly receivedOn: string | null;
	/** Units received in all, first delivery to last. */
	readonly units: number;
}
/** What each section of a world lists. */
export interface EntryOf {
	brands: Brand;
	formulas: FormulaEntry;
	products: Product;
	skus: SkuEntry;
	lots: LotEntry;
	demand: Demand;
	buffers: SafetyBuffer;
	partners: { readonly name: string };
	keys: MintRequest;
}
/** An entry and where it stands. */
export interface Placed<T = unknown> {
	readonly at: Place;
	readonly entry: T;
}
/** What an operator says should exist. Nothing that it does not name is touched. */
export type World = { readonly [K in EntryKind]: Placed<EntryOf[K]>[] };

/** The sections of a world, in the order in which they are written. */
export const KINDS = [
	"brands",
	"formulas",
	"products",
	"skus",
	"lots",
	"demand",
	"buffers",
	"partners",
	"keys",
] as const satisfies readonly (keyof EntryOf)[];
export type EntryKind = (typeof KINDS)[number];

/** Something wrong with the input, and what to do about it. */
export interface Problem {
	/** `world.json /skus/3/kind` or `skus.csv line 5, kind`. */
	readonly at: string;
	readonly message: string;
	/** What was not taken into the world because of it; absent: the problem is with what was. */
	readonly unread?: Unread;
}
/** Something that is not in the world, because it could not be read. */
export interface Unread {
	/** Its section. Null: nobody can tell which. */
	readonly section: EntryKind | null;
	/** A row as far as it could be read, without its wrong fields; absent: nothing of it could be. */
	readonly row?: Placed<object>;
}

export const emptyWorld = (): World => ({
	brands: [],
	formulas: [],
	products: [],
	skus: [],
	lots: [],
	demand: [],
	buffers: [],
	partners: [],
	keys: [],
});

/** The natural key of a lot, a demand or a buffer: the same text for the same thing. */
export const naturalKey = (...parts: readonly (string | null)[]): string => JSON.stringify(parts);
