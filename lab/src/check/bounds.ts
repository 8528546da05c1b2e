/** The minimum and the maximum value that a quantity can have had during an interval. */
export interface Range {
	readonly low: number;
	readonly high: number;
}

interface Steps {
	readonly times: Float64Array;
	/** values[i] holds from times[i] on. */
	readonly values: Float64Array;
}

/**
 * A quantity over time, where each change is known to have happened at some moment between two. A decrease counts
 * against the lower bound from its earliest moment and against the upper bound from its latest; an increase the other
 * way round.
 */
export class Bounds {
	readonly #low: [at: number, delta: number][] = [];
	readonly #high: [at: number, delta: number][] = [];
	#steps: { low: Steps; high: Steps } | null = null;

	/** `latest` Infinity: the change may never have happened. */
	change(delta: number, earliest: number, latest: number): void {
		if (delta === 0) return;
		const [soon, late] = delta < 0 ? [this.#low, this.#high] : [this.#high, this.#low];
		soon.push([earliest, delta]);
		if (latest !== Number.POSITIVE_INFINITY) late.push([latest, delta]);
		this.#steps = null;
	}

	/** The minimum and the maximum value between these moments, both included. */
	within(from: number, to: number): Range {
		this.#steps ??= { low: toSteps(this.#low), high: toSteps(this.#high) };
		const { low, high } = this.#steps;
		return { low: extreme(low, from, to, Math.min), high: extreme(high, from, to, Math.max) };
	}

	/** Moments at which the upper bound falls below zero, with its value: more was taken than can have been there. */
	belowZero(): { readonly at: number; readonly high: number }[] {
		this.#steps ??= { low: toSteps(this.#low), high: toSteps(this.#high) };
		const { times, values } = this.#steps.high;
		const found: { at: number; high: number }[] = [];
		for (const [i, value] of values.entries()) {
			const wasBelow = i > 0 && (values[i - 1] ?? 0) < 0;
			if (value < 0 && !wasBelow) found.push({ at: times[i] ?? 0, high: value });
		}
		return found;
	}
}

/** The changes in order of time, those of the same moment combined. */
function toSteps(changes: [at: number, delta: number][]): Steps {
	changes.sort(([a], [b]) => a - b);
	const times: number[] = [];
	const values: number[] = [];
	let value = 0;
	for (const [at, delta] of changes) {
		value += delta;
		if (times.at(-1) === at) values[values.length - 1] = value;
		else {
			times.push(at);
			values.push(value);
		}
	}
	return { times: Float64Array.from(times), values: Float64Array.from(values) };
}

function extreme({ times, values }: Steps, from: number, to: number, pick: (a: number, b: number) => number): number {
	const first = lastNotAfter(times, from);
	let found = values[first] ?? 0;
	for (let i = first + 1; i < times.length && (times[i] ?? 0) <= to; i++) found = pick(found, values[i] ?? 0);
	return found;
}

/** Index of the last time not after `at`; -1 when all are later. */
function lastNotAfter(times: Float64Array, at: number): number {
	let below = 0;
	let above = times.length;
	while (below < above) {
		const middle = (below + above) >> 1;
		if ((times[middle] ?? 0) <= at) below = middle + 1;
		else above = middle;
	}
	return below - 1;
}
