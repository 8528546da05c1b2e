import type { Unsettled } from "./reconcile.ts";

export const EXCEPTION_KINDS = ["unknown_store", "unknown_sku", "no_recipe", "shortage"] as const;
export type ExceptionKind = (typeof EXCEPTION_KINDS)[number];

/** An exception of an order, either open or resolved by the operator. */
export interface KnownException extends Unsettled {
	readonly exceptionId: number;
	readonly resolved: boolean;
}

/** The writes that make an order's open exceptions match its current state. */
export interface ExceptionChanges {
	/** Ids of exceptions to close as settled. */
	readonly settled: readonly number[];
	/** Exceptions whose numbers of kits changed. */
	readonly changed: readonly KnownException[];
	readonly added: readonly Unsettled[];
}

/**
 * Compares the parts of an order that cannot be reconciled now with the recorded exceptions. A resolved exception is
 * not recorded again, unless more kits are affected than when the operator resolved it. Pure.
 */
export function changeExceptions(known: readonly KnownException[], unsettled: readonly Unsettled[]): ExceptionChanges {
	const open = new Map(known.filter(({ resolved }) => !resolved).map((one) => [keyOf(one), one]));
	const resolved = known.filter((one) => one.resolved);
	const changed: KnownException[] = [];
	const added: Unsettled[] = [];
	for (const one of unsettled) {
		const before = open.get(keyOf(one));
		open.delete(keyOf(one));
		if (before !== undefined) {
			if (before.promisedKits !== one.promisedKits || before.shippedKits !== one.shippedKits)
				changed.push({ ...before, ...one });
		} else if (!resolved.some((earlier) => covers(earlier, one))) added.push(one);
	}
	return { settled: [...open.values()].map(({ exceptionId }) => exceptionId), changed, added };
}

const keyOf = ({ kind, subject }: Unsettled): string => `${kind}/${subject}`;

/** Resolving an exception settles its shipped kits, so unsettled shipped kits are new. */
const covers = (resolved: KnownException, { kind, subject, promisedKits, shippedKits }: Unsettled): boolean =>
	resolved.kind === kind && resolved.subject === subject && resolved.promisedKits >= promisedKits && shippedKits === 0;

/** An exception in sentences: the cause and the remedy. Names no command; the caller adds that. Pure. */
export function tellException({
	kind,
	subject,
	brandCodes,
	promisedKits,
	shippedKits,
	missingUnits,
}: Omit<Unsettled, "kind"> & {
	readonly kind: ExceptionKind;
	readonly brandCodes: readonly (string | null)[];
	readonly missingUnits: number;
}): { readonly what: string; readonly todo: string } {
	const kits = [
		...(promisedKits > 0 ? [`${promisedKits} ordered and not promised`] : []),
		...(shippedKits > 0 ? [`${shippedKits} shipped and not drawn down`] : []),
	].join(", ");
	const named = JSON.stringify(subject);
	switch (kind) {
		case "unknown_store":
			return subject === ""
				? {
						what: `No report named the store: ${kits}.`,
						todo: "Wait for the order's own report, or resolve it by hand.",
					}
				: { what: `Nobody has set whose stock store ${named} sells: ${kits}.`, todo: "Name the brand of the store." };
		case "unknown_sku":
			return {
				what: `There is no SKU ${named}: ${kits}.`,
				todo: "Import the SKU, then retry; or correct it at its source.",
			};
		case "no_recipe":
			return { what: `SKU ${named} has no recipe: ${kits}.`, todo: "Import its recipe, then retry." };
		case "shortage": {
			const pools = brandCodes.map((code) => code ?? "the shared stock").join(", then ");
			return {
				what: `${missingUnits === 1 ? "1 unit" : `${missingUnits} units`} of ${subject} shipped from ${pools} could not be found: no lot has that many free units in date.`,
				todo: "Receive the units that were not booked in, or release those that are held, then retry; or correct the lot that is wrong, and resolve the exception.",
			};
		}
	}
}
