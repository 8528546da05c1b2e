import { sleep } from "../../ground/lib/clock.ts";
import type { Query } from "../../ground/pg/connect.ts";
import {
	type Found,
	isReadable,
	type LiveChange,
	merged,
	nameOf,
	type Position,
	TOPICS,
	TOPICS_OF_BOXES,
	TOPICS_OF_EVENTS,
	TOPICS_OF_LEDGER,
	type Topic,
} from "./change.ts";
import {
	selectBoxChanges,
	selectLastNumber,
	selectLedgerChanges,
	selectMarks,
	selectNewDeliveries,
} from "./changes-sql.ts";

/** How often a follower waits at its start for transactions under way, and for how many milliseconds each time. */
const WAITS_AT_START = 5;
const WAIT_AT_START_MS = 50;

/** Follows all changes from the moment it was opened. */
export interface Follower {
	/** Everything that has committed since the last call, or since the beginning. */
	look(): Promise<Found>;
	/** The position up to which everything was found. Continuing from it misses nothing, on any node. */
	readonly position: Position;
}

/** Reads the changes after a position; if there are too many, or the numbers went back, the topics to reload. */
export async function readChangesAfter(db: Query, after: Position): Promise<Found> {
	const last = await selectLastNumber(db);
	const upTo = await selectMarks(db);
	return merged([
		isReadable(after.ledger, last)
			? { changes: (await selectLedgerChanges(db, after.ledger)).rows, reload: [] }
			: { changes: [], reload: TOPICS_OF_LEDGER },
		await readNumbered(db, after, upTo),
	]);
}

/** Changes whose numbers are in the order of the commits. */
async function readNumbered(db: Query, after: Position, upTo: Pick<Position, "boxes" | "events">): Promise<Found> {
	const changes: LiveChange[] = [];
	const reload: Topic[] = [];
	if (!isReadable(after.boxes, upTo.boxes)) reload.push(...TOPICS_OF_BOXES);
	else if (after.boxes < upTo.boxes) changes.push(...(await selectBoxChanges(db, after, upTo)).rows);
	if (!isReadable(after.events, upTo.events)) reload.push(...TOPICS_OF_EVENTS);
	else if (after.events < upTo.events) changes.push(...(await selectNewDeliveries(db, after, upTo)).rows);
	return { changes, reload };
}

/** Begins to follow: whatever commits from now on is found. */
export async function followChanges(db: Query): Promise<Follower> {
	const last = await selectLastNumber(db);
	const { boxes, events, open } = await selectMarks(db);
	let owed = new Set(open);
	// transactions with low numbers that commit later; most of them end within a moment
	for (let waits = 0; owed.size > 0 && waits < WAITS_AT_START; waits++) {
		await sleep(WAIT_AT_START_MS);
		owed = common(owed, (await selectMarks(db)).open);
	}
	return new LedgerFollower(db, { ledger: last, boxes, events }, owed);
}

/**
 * Finds the changes of the ledger's sequence with a floor: all numbers up to it belong to transactions that have ended.
 * The floor rises to the number read in an earlier call once all transactions that were open then have ended. Numbers
 * above the floor are read in each call, and reported once.
 */
class LedgerFollower implements Follower {
	readonly #db: Query;
	#place: Position;
	/** The number to which the floor rises when these transactions have ended. */
	#next: { readonly upTo: number; readonly open: ReadonlySet<string> } | null = null;
	/** Open transactions that may have numbers below the floor. When they have ended, their topics must be reloaded. */
	#owed: ReadonlySet<string>;
	/** Versions above the floor that were reported. */
	#reported = new Map<string, number>();

	constructor(db: Query, place: Position, owed: ReadonlySet<string>) {
		this.#db = db;
		this.#place = place;
		this.#owed = owed;
	}

	get position(): Position {
		// as long as such transactions are open, a client that continues from this position must reload
		return this.#owed.size === 0 ? this.#place : { ...this.#place, ledger: 0 };
	}

	async look(): Promise<Found> {
		const last = await selectLastNumber(this.#db);
		const marks = await selectMarks(this.#db);
		const { boxes, events } = marks;
		const place = this.#place;
		if (last < place.ledger || boxes < place.boxes || events < place.events) {
			// a standby that lacks the last changes was promoted
			this.#jump({ ledger: last, boxes, events }, marks.open);
			return { changes: [], reload: TOPICS };
		}
		const numbered = await readNumbered(this.#db, place, marks);
		const ledger = await this.#lookAtLedger(last, marks.open);
		this.#place = { ...this.#place, boxes, events };
		return merged([numbered, ledger]);
	}

	async #lookAtLedger(last: number, open: readonly string[]): Promise<Found> {
		const floor = this.#place.ledger;
		const owed = common(this.#owed, open);
		if (!isReadable(floor, last)) {
			this.#jump({ ...this.#place, ledger: last }, [...owed, ...open]);
			return { changes: [], reload: TOPICS_OF_LEDGER };
		}
		const rows = floor < last ? (await selectLedgerChanges(this.#db, floor)).rows : [];
		const changes = rows.filter((row) => (this.#reported.get(nameOf(row)) ?? -1) < row.version);
		const reload = this.#owed.size > 0 && owed.size === 0 ? TOPICS_OF_LEDGER : [];
		this.#owed = owed;
		this.#reported = new Map(rows.map((row) => [nameOf(row), row.version]));
		if (this.#next === null || common(this.#next.open, open).size === 0) {
			if (this.#next !== null) this.#place = { ...this.#place, ledger: this.#next.upTo };
			this.#next = { upTo: last, open: new Set(open) };
		}
		return { changes, reload };
	}

	#jump(place: Position, open: readonly string[]): void {
		this.#place = place;
		this.#next = null;
		this.#owed = new Set(open);
		this.#reported.clear();
	}
}

const common = (some: ReadonlySet<string>, others: readonly string[]): Set<string> =>
	new Set(others.filter((one) => some.has(one)));
