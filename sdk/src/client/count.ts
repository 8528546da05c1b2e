/** Why a count is not known. Mirrors use every reason; a reply of the service only `unknown_sku`. */
export type UnknownReason =
	/** The service does not know the SKU, does not list it, or it is not mapped. */
	| "unknown_sku"
	/** Nothing was read yet. */
	| "empty"
	/** The last count is older than the limit of the mirror. */
	| "stale"
	/** The key is refused (401 or 403): show no stock, and alert a person. */
	| "unauthorized";

/** A whole number of kits, or of units where the field is named so. */
export interface KnownCount {
	readonly kind: "known";
	readonly qty: number;
}

/** The SKU is not physical (a fee, a discount): it has no stock and needs none. */
export interface UntrackedCount {
	readonly kind: "untracked";
}

/** Not a zero: nobody can say how many there are. */
export interface UnknownCount {
	readonly kind: "unknown";
	readonly why: UnknownReason;
	readonly since: Date;
}

/** A number that may be shown or decided on. Check `kind` first: only a known count has a `qty`. */
export type Count = KnownCount | UntrackedCount | UnknownCount;

/** Whether a count is a number. */
export function isKnown(count: Count): count is KnownCount {
	return count.kind === "known";
}

/** What `shown` writes for counts that are not numbers. */
export interface CountTexts {
	/** For example "Ask us": never "0" and never "sold out". */
	readonly unknown: string | ((count: UnknownCount) => string);
	/** For a fee or a discount; an empty text unless given. */
	readonly untracked?: string;
}

/** A count as text: its number, or one of `texts`. */
export function shown(count: Count, texts: CountTexts): string {
	switch (count.kind) {
		case "known":
			return String(count.qty);
		case "untracked":
			return texts.untracked ?? "";
		case "unknown":
			return typeof texts.unknown === "string" ? texts.unknown : texts.unknown(count);
	}
}

type CountName<Name> = Name extends "requestedQty"
	? never
	: Name extends `${string}Qty` | `${string}Units` | "onHand" | "reserved" | "atp"
		? Name
		: never;

/** A reply in which each number of units or kits is a `Count`. */
export type Counted<T> = T extends Date | string
	? T
	: T extends readonly (infer Item)[]
		? Counted<Item>[]
		: T extends object
			? { [Name in keyof T]: Name extends CountName<Name> ? Count : Counted<T[Name]> }
			: T;

const COUNT_NAME = /(?:Qty|Units|^onHand|^reserved|^atp)$/;

/** Replaces the numbers of a reply's item by counts: known ones, or the one count that applies to all of them. */
export function counted<T>(item: T, since: Date): Counted<T> {
	return withCounts(item, since, undefined) as Counted<T>;
}

function withCounts(value: unknown, since: Date, whole: Count | undefined): unknown {
	if (Array.isArray(value)) return value.map((one) => withCounts(one, since, whole));
	if (typeof value !== "object" || value === null || value instanceof Date) return value;
	const all = countOfAll(value, since) ?? whole;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) =>
			typeof inner === "number" && COUNT_NAME.test(name) && name !== "requestedQty"
				? [name, all ?? { kind: "known", qty: inner }]
				: [name, withCounts(inner, since, all)],
		),
	);
}

function countOfAll(
	{ known, tracksInventory }: { known?: unknown; tracksInventory?: unknown },
	since: Date,
): Count | undefined {
	if (known === false) return { kind: "unknown", why: "unknown_sku", since };
	return tracksInventory === false ? { kind: "untracked" } : undefined;
}
