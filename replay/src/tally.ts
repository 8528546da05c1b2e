/** Counts of everything that happened. */

export const OPERATIONS = [
	"reserve",
	"check",
	"consume",
	"release",
	"reverse",
	"place",
	"cancel",
	"combine",
	"find order",
	"find hold",
] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** Different faults that are kept for display; all are counted. */
const FAULTS_KEPT = 20;

/** Counts for orders. */
export class OrderTally {
	placed = 0;
	/** Places that returned the order of an earlier one. */
	replayed = 0;
	/** Holds that were over, or had lost units, when they were to be placed. */
	placedAnew = 0;
	holdsLost = 0;
	cancelled = 0;
	notCancellable = 0;
	/** Boxes shared by several orders, and combinations that came too late. */
	combined = 0;
	combinedLate = 0;
	/** Boxes that left, and those of them with part of an order. */
	boxes = 0;
	parts = 0;
	voided = 0;
	lotsRecalled = 0;
	unitsRecalled = 0;
	/** Orders put on hold by the operator, and by recalls. */
	heldByOperator = 0;
	heldByRecall = 0;
	/** Of the latter: released after a receipt; cancelled by their partner. */
	restocked = 0;
	givenUp = 0;
}

export class Tally {
	/** Operations with a final answer: their retries are not counted. */
	readonly operations = Object.fromEntries(OPERATIONS.map((name) => [name, 0])) as Record<OperationName, number>;
	/** Refusals by error code, including those retried afterwards. */
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
	/** Lines of granted reserves. */
	linesHeld = 0;
	/** Parts of invoices that got less than requested, and that got nothing. */
	short = 0;
	unsold = 0;
	/** Cancellations that reversed a whole consume, and units of others received back. */
	undone = 0;
	returnedUnits = 0;
	/** Holds left to expire, and the ends of those used at the last moment. */
	expired = 0;
	lateWins = 0;
	/** Counts for orders; null: none were placed. */
	orders: OrderTally | null = null;
	/** Answers that the contract does not allow here. */
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

/** The value that a share `p` (0 to 1) of the numbers does not exceed; 0 if there are none. */
export function percentile(values: readonly number[], p: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? 0;
}
