import type {
	ClockLine,
	Errand,
	Exchange,
	FaultLine,
	KeyLine,
	Line,
	Opening,
	RecordLine,
	SightLine,
} from "../history.ts";
import { Knowledge, type Topic } from "../knowledge.ts";
import { Shelves } from "./shelves.ts";

/**
 * Milliseconds by which an instant told by the database may differ from the lab's idea of it: both read the same
 * machine's clock, and the service rounds to milliseconds.
 */
const CLOCK_TOLERANCE_MS = 50;

/** Milliseconds after its end within which the sweep has written that a hold is over, when nothing is in its way. */
const SWEPT_WITHIN_MS = 5_000;

/** At some moment between these two; `latest` Infinity: nobody knows that it ever happened. */
export interface When {
	readonly earliest: number;
	readonly latest: number;
}

/** A history that is to be judged, sorted, with what the oracles make of it. */
export class Case {
	readonly opening: Opening;
	readonly actors = new Map<string, KeyLine>();
	readonly exchanges: Exchange[] = [];
	readonly errands: Errand[] = [];
	readonly faults: FaultLine[] = [];
	readonly #sights: SightLine[] = [];
	readonly #records: RecordLine[] = [];
	readonly #facts = new Map<string, unknown>();
	readonly #clock: ClockLine[] = [];
	readonly #notes = new Knowledge();
	readonly shelves: Shelves;
	/** When the tables were read at the end: from here on, */
	lookedAt = Number.POSITIVE_INFINITY;
	/** and until here. */
	lookedUntil = Number.NEGATIVE_INFINITY;

	constructor(lines: Iterable<Line>) {
		let opening: Opening | null = null;
		for (const line of lines) {
			if (line.kind === "opening") opening = line;
			else this.#sort(line);
		}
		if (opening === null) throw new Error("the history has no opening line");
		this.opening = opening;
		this.shelves = new Shelves(opening.world);
	}

	#sort(line: Exclude<Line, Opening>): void {
		switch (line.kind) {
			case "key":
				this.actors.set(line.name, line);
				return;
			case "exchange":
				this.exchanges.push(line);
				return;
			case "errand":
				this.errands.push(line);
				return;
			case "fault":
				this.faults.push(line);
				return;
			case "clock":
				this.#clock.push(line);
				return;
			case "sight":
				this.#sights.push(line);
				return;
			case "record":
				this.#records.push(line);
				return;
			case "facts":
				this.#facts.set(line.room, line.facts);
				this.lookedAt = Math.min(this.lookedAt, line.at);
				this.lookedUntil = Math.max(this.lookedUntil, line.until);
		}
	}

	/** What the tables said for a room at the end; undefined when nobody looked. */
	facts = <T>(room: string): T | undefined => this.#facts.get(room) as T | undefined;

	/** What a room's look into the tables saw while the run lasted. */
	sights = (room: string): readonly SightLine[] => this.#sights.filter((sight) => sight.room === room);

	/** What stands beside the service wrote down for a room, in the order of the writing. */
	records = (room: string): readonly RecordLine[] => this.#records.filter((record) => record.room === room);

	/** What oracles work out for each other. */
	notes = <T>(topic: Topic<T>): T => this.#notes.of(topic);

	actor(name: string): KeyLine {
		const actor = this.actors.get(name);
		if (!actor) throw new Error(`the history has no key ${name}`);
		return actor;
	}

	/** Did a fault set the database's clock? Then an instant that the tables tell says little about when it was. */
	get clockWasStepped(): boolean {
		return this.faults.some(({ clockOff }) => clockOff !== undefined);
	}

	/** Does this while touch one in which the database's clock may have been wrong? */
	clockWrongWithin = (from: number, to: number): boolean =>
		this.faults.some(({ clockOff, began, ended }) => clockOff && began - SWEPT_WITHIN_MS <= to && from <= ended);

	/** Between which moments of the lab's clock it was this instant (epoch ms) by a right clock. */
	momentOf(epochMs: number): When {
		let least = Number.POSITIVE_INFINITY;
		let most = Number.NEGATIVE_INFINITY;
		for (const { ahead } of this.#clock) {
			least = Math.min(least, ahead);
			most = Math.max(most, ahead);
		}
		if (this.#clock.length === 0) least = most = 0;
		return { earliest: epochMs - most - CLOCK_TOLERANCE_MS, latest: epochMs - least + CLOCK_TOLERANCE_MS };
	}

	/**
	 * Between which moments something that was made at `since` and is due at this instant comes due by the database's
	 * clock. Where a fault set the clock, it may come due early, or late, or come due and then not be due any more.
	 */
	dueAt(epochMs: number, since: number): When {
		const right = this.momentOf(epochMs);
		let { earliest, latest } = right;
		for (const { began, ended, clockOff } of this.faults) {
			if (!clockOff) continue;
			const early = Math.max(began, right.earliest - clockOff.most);
			if (early <= ended) earliest = Math.min(earliest, early);
			// due already: then it is written down within a moment, and a clock that is set back undoes nothing
			const writtenDown = latest < began - SWEPT_WITHIN_MS && since < began;
			const behind = latest > began + clockOff.least - CLOCK_TOLERANCE_MS && latest <= ended;
			if (behind && !writtenDown) latest = ended + CLOCK_TOLERANCE_MS;
		}
		return { earliest, latest };
	}
}
