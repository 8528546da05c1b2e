import type { Unsettled } from "./reconcile.ts";

/** An exception of an order that is open, or that the operator has resolved. */
export interface KnownException extends Unsettled {
	readonly exceptionId: number;
	readonly resolved: boolean;
}

/** What has to be written so that the open exceptions of an order are those that it has now. */
export interface ExceptionChanges {
	/** Ids of those that are settled. */
	readonly settled: readonly number[];
	/** Those whose kits changed. */
	readonly changed: readonly KnownException[];
	readonly added: readonly Unsettled[];
}

/**
 * Compares what cannot be settled now with what was noted before. What the operator has resolved is not noted again as
 * long as no kits come to it that the operator has not seen. Pure.
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

/** Shipped kits that were resolved are settled, so those that are not are new ones. */
const covers = (resolved: KnownException, { kind, subject, promisedKits, shippedKits }: Unsettled): boolean =>
	resolved.kind === kind && resolved.subject === subject && resolved.promisedKits >= promisedKits && shippedKits === 0;

/** What the operator is told of an exception. */
export interface ToldException {
	readonly what: string;
	readonly todo: string;
}

/** An exception in sentences: what happened, and what helps. Names no command: that is for whoever shows it. Pure. */
export function tellException({
	kind,
	subject,
	brandCodes,
	promisedKits,
	shippedKits,
	missingUnits,
}: Omit<Unsettled, "kind"> & {
	readonly kind: Unsettled["kind"] | "shortage";
	readonly brandCodes: readonly (string | null)[];
	readonly missingUnits: number;
}): ToldException {
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
				: { what: `Nobody has said whose stock store ${named} sells: ${kits}.`, todo: "Name the brand of the store." };
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
				what: `${missingUnits === 1 ? "1 unit" : `${missingUnits} units`} of ${subject} shipped from ${pools} could not be found: no lot has so many free and in date.`,
				todo: "Receive what was not booked in, or release what is held, then retry; or correct the lot that is wrong, and resolve it.",
			};
		}
	}
}
