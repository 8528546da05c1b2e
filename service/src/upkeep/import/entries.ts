import type { Brand, FormulaEntry, Product, SkuEntry } from "../../inventory/catalog/entries.ts";
import type { SafetyBuffer } from "../../inventory/stock/set-buffers.ts";
import type { Demand } from "../../inventory/stock/set-demand.ts";
import type { MintRequest } from "../../partners/keys/key-rules.ts";

/** The place of an entry in its file: a JSON pointer or a line. Every error names it. */
export interface Place {
	readonly file: string;
	/** JSON pointer, or line number. */
	readonly spot: string | number;
}

/** `world.json /skus/3/kind` or `skus.csv line 5, kind`; `pointer` names a field below the entry. */
export function pointAt({ file, spot }: Place, pointer = ""): string {
	if (typeof spot === "string") return `${file} ${spot}${pointer}`.trim();
	const column = pointer.split("/")[1];
	return `${file} line ${spot}${column ? `, ${column}` : ""}`;
}

export interface LotEntry {
	readonly formula: string;
	readonly brandCode: string | null;
	readonly batchNumber: string;
	/** Null: never expires. Undefined: keeps the lot's own date; a new lot never expires. */
	readonly expiresOn: string | null | undefined;
	/** Null: today, in the operator's time zone. */
	readonly receivedOn: string | null;
	/** Units received in total over all deliveries. */
	readonly units: number;
}
/** The type of entry in each section of a world. */
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
export interface Placed<T = unknown> {
	readonly at: Place;
	readonly entry: T;
}
/** Everything that the operator wants to exist. What it does not name stays untouched. */
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

/** A problem with the input, and how to correct it. */
export interface Problem {
	/** `world.json /skus/3/kind` or `skus.csv line 5, kind`. */
	readonly at: string;
	readonly message: string;
	/** The part of the input that is not in the world because of this problem; absent: everything was read. */
	readonly unread?: Unread;
}
/** A part of the input that could not be read into the world. */
export interface Unread {
	/** Its section; null if unknown. */
	readonly section: EntryKind | null;
	/** The row with its valid fields only; absent if none could be read. */
	readonly row?: Placed<object>;
}

export const emptyWorld = (): World => Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as World;

/** Number of rows in all sections. */
export const rowsIn = (world: World): number => KINDS.reduce((sum, kind) => sum + world[kind].length, 0);

/** The natural key of a lot, a demand or a buffer: equal text means the same entry. */
export const naturalKey = (...parts: readonly (string | null)[]): string => JSON.stringify(parts);
