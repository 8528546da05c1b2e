/** The series, and whether each counts what happened or samples a state. */
export const SERIES = {
	requests: "count",
	refusals: "count",
	holds: "count",
	deliveries: "count",
	orders: "state",
	units: "state",
} as const;
export type SeriesName = keyof typeof SERIES;
export type CountedSeries = { [N in SeriesName]: (typeof SERIES)[N] extends "count" ? N : never }[SeriesName];

/** A value of one line of a series. */
export interface SeriesValue {
	readonly name: SeriesName;
	readonly label: string;
	readonly value: number;
}

/** Maximum number of lines that one node counts in memory; labels are words of ours, so there are fewer. */
const MOST_LINES = 1_000;

/** What happened on this node since it was last written, by series and label. */
export class Tally {
	#counts = new Map<string, { name: SeriesName; label: string; value: number }>();

	add(name: CountedSeries, label: string, value = 1): void {
		const line = `${name} ${label}`;
		const known = this.#counts.get(line);
		if (known !== undefined) known.value += value;
		else if (this.#counts.size < MOST_LINES) this.#counts.set(line, { name, label, value });
	}

	/** Takes all counts. */
	take(): readonly SeriesValue[] {
		const taken = [...this.#counts.values()];
		this.#counts = new Map();
		return taken;
	}

	/** Puts counts back that could not be written. */
	putBack(values: readonly SeriesValue[]): void {
		for (const { name, label, value } of values) this.add(name as CountedSeries, label, value);
	}
}
