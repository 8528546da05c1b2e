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
 * Milliseconds by which an instant from the database may differ from the lab's clock: both read the same machine's
 * clock, and the service rounds to milliseconds.
 */
const CLOCK_TOLERANCE_MS = 50;

/** Milliseconds after a hold's end within which the sweep has recorded it, when nothing blocks it. */
const SWEPT_WITHIN_MS = 5_000;

/** At some moment between these two; `latest` Infinity: it may never have happened. */
export interface When {
	readonly earliest: number;
	readonly latest: number;
}

/** The sorted history under judgement, with everything the oracles derive from it. */
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
	/** When the final reading of the tables began. */
	lookedAt = Number.POSITIVE_INFINITY;
	/** When it ended. */
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

	/** The rows that a room read at the end; undefined if it read none. */
	facts = <T>(room: string): T | undefined => this.#facts.get(room) as T | undefined;

	/** What a room's watch saw in the tables during the run. */
	sights = (room: string): readonly SightLine[] => this.#sights.filter((sight) => sight.room === room);

	/** What a room's neighbours recorded, in that order. */
	records = (room: string): readonly RecordLine[] => this.#records.filter((record) => record.room === room);

	/** Values that oracles compute for each other. */
	notes = <T>(topic: Topic<T>): T => this.#notes.of(topic);

	actor(name: string): KeyLine {
		const actor = this.actors.get(name);
		if (!actor) throw new Error(`the history has no key ${name}`);
		return actor;
	}

	/** Whether a fault changed the database's clock. If so, an instant in the tables says little about when it was. */
	get clockWasStepped(): boolean {
		return this.faults.some(({ clockOff }) => clockOff !== undefined);
	}

	/** Whether this interval overlaps one in which the database's clock may have been wrong. */
	clockWrongWithin = (from: number, to: number): boolean =>
		this.faults.some(({ clockOff, began, ended }) => clockOff && began - SWEPT_WITHIN_MS <= to && from <= ended);

	/** The interval of the lab's clock that this instant (epoch ms) falls into, if the database's clock was right. */
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
	 * The interval within which something made at `since` and due at this instant comes due by the database's clock.
	 * Where a fault changed the clock, it may come due early or late, or come due and then not be due any more.
	 */
	dueAt(epochMs: number, since: number): When {
		const right = this.momentOf(epochMs);
		let { earliest, latest } = right;
		for (const { began, ended, clockOff } of this.faults) {
			if (!clockOff) continue;
			const early = Math.max(began, right.earliest - clockOff.most);
			if (early <= ended) earliest = Math.min(earliest, early);
			// already due: the sweep records it within a moment, and setting the clock back does not undo that
			const writtenDown = latest < began - SWEPT_WITHIN_MS && since < began;
			const behind = latest > began + clockOff.least - CLOCK_TOLERANCE_MS && latest <= ended;
			if (behind && !writtenDown) latest = ended + CLOCK_TOLERANCE_MS;
		}
		return { earliest, latest };
	}
}
