import type { MintRequest } from "../keys/key-rules.ts";

/** Where an entry stands in its file: at a JSON pointer or on a line. Every error names it. */
export interface Place {
	readonly file: string;
	/** JSON pointer, or the number of the line. */
	readonly spot: string | number;
}
export interface Placed {
	readonly at: Place;
}

/** `world.json /skus/3/kind` or `skus.csv line 5, kind`, for a field given as a pointer below the entry. */
export function pointAt({ file, spot }: Place, pointer = ""): string {
	if (typeof spot === "string") return `${file} ${spot}${pointer}`.trimEnd();
	const column = pointer.split("/")[1];
	return `${file} line ${spot}${column ? `, ${column}` : ""}`;
}

export interface BrandEntry extends Placed {
	readonly code: string;
	readonly name: string;
}
export interface FormulaEntry extends Placed {
	readonly code: string;
	readonly name: string;
	readonly status: "draft" | "active" | "archived";
}
export interface ProductEntry extends Placed {
	readonly slug: string;
	readonly name: string;
}
export interface RecipePart {
	/** The formula's code. */
	readonly formula: string;
	/** Units of the formula in one kit. */
	readonly perKit: number;
}
export interface SkuEntry extends Placed {
	readonly sku: string;
	readonly name: string;
	readonly product: string | null;
	readonly kind: "single" | "kit" | "non_physical";
	readonly vialSize: string | null;
	readonly components: readonly RecipePart[];
	/** A condition the SKU acts out. Of the sandbox's own SKUs only: no file can name it. */
	readonly testBehaviour: "retry" | "held" | null;
}
export interface LotEntry extends Placed {
	readonly formula: string;
	readonly brandCode: string | null;
	readonly batchNumber: string;
	readonly expiresOn: string | null;
	/** Null: today, in the operator's time zone. */
	readonly receivedOn: string | null;
	/** Units received in all, first delivery to last. */
	readonly units: number;
}
export interface DemandEntry extends Placed {
	readonly formula: string;
	readonly brandCode: string | null;
	readonly reference: string;
	/** Units; 0 removes it. */
	readonly units: number;
}
export interface BufferEntry extends Placed {
	readonly formula: string;
	readonly brandCode: string | null;
	/** Units; 0 removes it. */
	readonly units: number;
}
export interface PartnerEntry extends Placed {
	readonly name: string;
}
export type KeyEntry = Placed & MintRequest;
/** What an operator says should exist. Nothing that it does not name is touched. */
export interface World {
	readonly brands: BrandEntry[];
	readonly formulas: FormulaEntry[];
	readonly products: ProductEntry[];
	readonly skus: SkuEntry[];
	readonly lots: LotEntry[];
	readonly demand: DemandEntry[];
	readonly buffers: BufferEntry[];
	readonly partners: PartnerEntry[];
	readonly keys: KeyEntry[];
}

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
] as const satisfies readonly (keyof World)[];
export type Kind = (typeof KINDS)[number];

/** Something wrong with the input, and what to do about it. */
export interface Problem {
	/** `world.json /skus/3/kind` or `skus.csv line 5, kind`. */
	readonly at: string;
	readonly message: string;
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
