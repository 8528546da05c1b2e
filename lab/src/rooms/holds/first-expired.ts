/** First expired, first out: no reserve passes over a lot that expires sooner and had free units throughout. */

/** A change of the free units of a lot, from the ledger. */
export interface Step {
	readonly fgId: string;
	/** Formula and pool. */
	readonly shelf: string;
	/** The lot's position on the shelf: the lowest is to be taken first. */
	readonly turn: number;
	/** Epoch milliseconds of the database's clock. */
	readonly at: number;
	/** Units that became free (positive) or were taken (negative). */
	readonly units: number;
	/** The hold that a reserve made of them; null: another cause. */
	readonly token: string | null;
}

/** A reserve that took units of one lot although an earlier lot had free ones. */
export interface PassedBy {
	readonly token: string;
	readonly taken: string;
	readonly passed: string;
	readonly at: number;
}

/**
 * Milliseconds for which a lot must have had free units before a reserve, and still have some after it, to count as
 * passed over: a move in the ledger is committed and visible to every node long before.
 */
const FREE_FOR_MS = 15_000;

/** The free units of a lot over time, and the time since which there have always been some. */
interface FreeLot {
	readonly turn: number;
	readonly fgId: string;
	free: number;
	/** The time since which there have always been free units; null: there are none now. */
	since: number | null;
}

/**
 * `ledger` is in the order of the ledger, in which two transactions may alternate: moves with the same time are
 * grouped. The time is read after the locks, so the moves of one lot stay in order.
 */
export function passedBy(ledger: readonly Step[]): PassedBy[] {
	const steps = ledger.toSorted((a, b) => a.at - b.at);
	const shelves = new Map<string, Map<string, FreeLot>>();
	const found: PassedBy[] = [];
	for (let i = 0; i < steps.length; ) {
		const { at } = steps[i] as Step;
		let end = i;
		while (end < steps.length && steps[end]?.at === at) end++;
		const moment = steps.slice(i, end);
		for (const step of moment) apply(shelves, step);
		for (const step of moment) found.push(...judge(shelves.get(step.shelf), step));
		i = end;
	}
	return found;
}

function apply(shelves: Map<string, Map<string, FreeLot>>, { shelf, fgId, turn, units, at }: Step): void {
	let lots = shelves.get(shelf);
	if (!lots) {
		lots = new Map();
		shelves.set(shelf, lots);
	}
	const lot = lots.get(fgId) ?? { turn, fgId, free: 0, since: null };
	lots.set(fgId, lot);
	lot.free += units;
	if (lot.free <= 0) lot.since = null;
	else lot.since ??= at;
}

function judge(lots: ReadonlyMap<string, FreeLot> | undefined, { token, turn, fgId, at }: Step): PassedBy[] {
	if (token === null || lots === undefined) return [];
	for (const lot of lots.values()) {
		if (lot.turn < turn && lot.since !== null && lot.since <= at - FREE_FOR_MS)
			return [{ token, taken: fgId, passed: lot.fgId, at }];
	}
	return [];
}
