import type { ClockLine, Errand, Exchange, FaultLine, KeyLine, Line, Opening } from "../history.ts";
import { Knowledge, type Topic } from "../knowledge.ts";
import { Shelves } from "./shelves.ts";

/**
 * Milliseconds by which an instant told by the database may differ from the lab's idea of it: both read the same machine's clock,
 * and the service rounds to milliseconds.
 */
const CLOCK_TOLERANCE_MS = 50;

/** A history that is to be judged, sorted, with what the oracles make of it. */
export class Case {
	readonly opening: Opening;
	readonly actors = new Map<string, KeyLine>();
	readonly exchanges: Exchange[] = [];
	readonly errands: Errand[] = [];
	readonly faults: FaultLine[] = [];
	readonly #facts = new Map<string, unknown>();
	readonly #clock: ClockLine[] = [];
	readonly #notes = new Knowledge();
	readonly shelves: Shelves;
	/** When the tables were read at the end. */
	lookedAt = Number.POSITIVE_INFINITY;

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
			case "facts":
				this.#facts.set(line.room, line.facts);
				this.lookedAt = Math.min(this.lookedAt, line.at);
		}
	}

	/** What the tables said for a room at the end; undefined when nobody looked. */
	facts = <T>(room: string): T | undefined => this.#facts.get(room) as T | undefined;

	/** What oracles work out for each other. */
	notes = <T>(topic: Topic<T>): T => this.#notes.of(topic);

	actor(name: string): KeyLine {
		const actor = this.actors.get(name);
		if (!actor) throw new Error(`the history has no key ${name}`);
		return actor;
	}

	/**
	 * Between which moments of the lab's clock the database's clock showed this instant (epoch ms). `since`: a moment from which on
	 * the instant was told; clocks that a fault had stepped between then and the instant widen the answer.
	 */
	momentOf(epochMs: number, since: number): { earliest: number; latest: number } {
		let least = Number.POSITIVE_INFINITY;
		let most = Number.NEGATIVE_INFINITY;
		for (const { ahead } of this.#clock) {
			least = Math.min(least, ahead);
			most = Math.max(most, ahead);
		}
		if (this.#clock.length === 0) least = most = 0;
		const plain = { earliest: epochMs - most - CLOCK_TOLERANCE_MS, latest: epochMs - least + CLOCK_TOLERANCE_MS };
		let { earliest, latest } = plain;
		for (const { began, ended, clockOff } of this.faults) {
			if (!clockOff || ended < since - CLOCK_TOLERANCE_MS) continue;
			const off = Math.max(Math.abs(clockOff.least), Math.abs(clockOff.most));
			// an instant told under a wrong clock is wrong by as much; one that falls due under it comes too early or too late by as much
			if (began <= plain.latest + off) {
				earliest = Math.min(earliest, plain.earliest - off);
				latest = Math.max(latest, plain.latest + off);
			}
		}
		return { earliest, latest };
	}
}
