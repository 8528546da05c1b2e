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

export interface SeriesValue {
	readonly name: SeriesName;
	readonly label: string;
	readonly value: number;
}

/** What was counted for one key or webhook endpoint; null: for no known one. */
export interface CountedValue extends SeriesValue {
	readonly owner: string | null;
}

/** Maximum number of lines that one node counts in memory; labels are our own words, so there are fewer. */
const MOST_LINES = 1_000;
/** Maximum number of lines of keys and endpoints: some thousand of them within ten seconds. */
const MOST_OWNED_LINES = 10_000;

type Line = { -readonly [Field in keyof CountedValue]: CountedValue[Field] };

/** What happened on this node since it was last written, by series, label and owner. */
export class Tally {
	#counts = new Map<string, Line>();
	#owned = new Map<string, Line>();

	/** `owner`: the key, or the endpoint of a delivery. If there are too many owners, it is counted for none. */
	add(name: CountedSeries, label: string, owner: string | null, value = 1): void {
		if (owner !== null && count(this.#owned, MOST_OWNED_LINES, { name, label, owner, value })) return;
		count(this.#counts, MOST_LINES, { name, label, owner: null, value });
	}

	take(): readonly CountedValue[] {
		const taken = [...this.#counts.values(), ...this.#owned.values()];
		this.#counts = new Map();
		this.#owned = new Map();
		return taken;
	}

	/** Puts counts back that could not be written. */
	putBack(values: readonly CountedValue[]): void {
		for (const { name, label, owner, value } of values) this.add(name as CountedSeries, label, owner, value);
	}
}

/** Adds a value to its line. Returns false if it has none, and there is no room for another. */
function count(lines: Map<string, Line>, most: number, value: Line): boolean {
	const id = `${value.name} ${value.label} ${value.owner}`;
	const known = lines.get(id);
	if (known !== undefined) known.value += value.value;
	else if (lines.size < most) lines.set(id, value);
	else return false;
	return true;
}
