/** Units that an order lost or was given after it was placed, from the ledger. Times are epoch milliseconds. */
export interface LotChange {
	readonly at: number;
	readonly fgId: string;
	/** The formula's code. */
	readonly formula: string;
	readonly batchNumber: string;
	readonly units: number;
	/** `out`: the order lost them; `in`: it was given them. */
	readonly way: "out" | "in";
	/** The ledger's cause: `recall`, `quarantine`, `destroy`, `repick` or `void`. */
	readonly cause: string;
	/** The operator's reason; null: none, or Holdfast did it automatically. */
	readonly reason: string | null;
	readonly actor: string;
}

/** Units of a lot to be taken out of a box or put into it. */
export interface LotToChange extends Pick<LotChange, "fgId" | "formula" | "batchNumber" | "units"> {
	/** They were taken from the order by a recall. */
	readonly isRecalled: boolean;
}

/**
 * What must be taken out of and put into a box that was packed at `since` (epoch milliseconds). Units of a lot that
 * were taken and given back since cancel each other out.
 */
export function lotsToChange(
	changes: readonly LotChange[],
	since: number,
): { readonly takeOut: readonly LotToChange[]; readonly putIn: readonly LotToChange[] } {
	const lots = new Map<string, LotToChange>();
	for (const change of changes) {
		if (change.at <= since) continue;
		const { fgId, formula, batchNumber, units, way } = change;
		const before = lots.get(fgId);
		const sum = (before?.units ?? 0) + (way === "out" ? units : -units);
		const isRecalled = before?.isRecalled === true || isByRecall(change);
		lots.set(fgId, { fgId, formula, batchNumber, units: sum, isRecalled });
	}
	const all = [...lots.values()];
	return {
		takeOut: all.filter(({ units }) => units > 0),
		putIn: all.filter(({ units }) => units < 0).map((lot) => ({ ...lot, units: -lot.units })),
	};
}

/** A line of an order's history: which units went and came at one moment, and why. */
export interface LotsChanged {
	readonly at: number;
	readonly actor: string;
	readonly why: string;
}

/** The changes in words, one line for each moment, in their order. */
export function tellLotChanges(changes: readonly LotChange[]): LotsChanged[] {
	const moments = new Map<number, LotChange[]>();
	for (const change of changes) moments.set(change.at, [...(moments.get(change.at) ?? []), change]);
	return [...moments].map(([at, of]) => {
		const first = of.find(({ way }) => way === "out");
		const parts = of.map(({ units, batchNumber, way }) => `${units} of ${batchNumber} ${way}`).join(", ");
		const words = [first === undefined ? null : whyOut(first), parts, first?.reason ?? null];
		return { at, actor: (first ?? of[0])?.actor ?? "", why: words.filter((word) => word !== null).join(": ") };
	});
}

const WHY_OUT: { readonly [cause: string]: string } = { quarantine: "quarantined", destroy: "destroyed" };

const whyOut = (change: LotChange): string =>
	isByRecall(change) ? "recalled" : (WHY_OUT[change.cause] ?? "past its date");

/**
 * An order that was used before its recall reached it was picked again by `system:recall` (holds/repick.ts). Of units
 * that a void brings back, an order loses those of recalled lots (ship-parts.ts).
 */
const isByRecall = ({ way, cause, actor }: LotChange): boolean =>
	way === "out" && (cause === "recall" || cause === "void" || actor === "system:recall");
