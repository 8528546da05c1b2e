/** What happened, counted. */

export const OPERATIONS = ["reserve", "check", "consume", "release", "reverse"] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** How many different faults are kept to be shown; all are counted. */
const FAULTS_KEPT = 20;

export class Tally {
	/** Operations answered for good: retries until then count once. */
	readonly operations: Record<OperationName, number> = { reserve: 0, check: 0, consume: 0, release: 0, reverse: 0 };
	/** Refusals by error code, those retried afterwards included. */
	readonly refusals = new Map<string, number>();
	/** Milliseconds from first sending an operation to its final answer. */
	readonly latencies: number[] = [];
	/** Connections the replay cut on purpose, and connections it lost. */
	cut = 0;
	lost = 0;
	/** Answers that repeated an earlier one (`idempotent: true`). */
	replays = 0;
	/** Holds found at the end that a late copy of a reserve had made. */
	doubles = 0;
	/** Lines of the reserves that were granted. */
	linesHeld = 0;
	/** Parts of invoices that got less than asked, and that got nothing. */
	short = 0;
	unsold = 0;
	/** Cancellations that reversed a whole consume, and units of others received back. */
	undone = 0;
	returnedUnits = 0;
	/** Holds left to run out, and how those ended that were used at the last moment. */
	expired = 0;
	lateWins = 0;
	/** Answers the contract does not allow here. */
	faultCount = 0;
	readonly faults: string[] = [];

	answered(name: OperationName, milliseconds: number): void {
		this.operations[name] += 1;
		this.latencies.push(milliseconds);
	}

	refused(code: string): void {
		this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
	}

	fault(text: string): void {
		this.faultCount += 1;
		if (this.faults.length < FAULTS_KEPT) this.faults.push(text);
	}

	get total(): number {
		return OPERATIONS.reduce((sum, name) => sum + this.operations[name], 0);
	}
}

/** The value a share `p` (0 to 1) of the numbers does not exceed; 0 of none. */
export function percentile(values: readonly number[], p: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? 0;
}
