/**
 * Weight that one owner may take in a turn. An owner that took more in one take is skipped in the next, if others wait.
 */
const TURN_WEIGHT = 32;
/** Milliseconds after an owner's last item for which the owner counts as a rival of the others. */
const RIVAL_FOR_MS = 1_000;

/**
 * Number of owners up to which all are remembered; beyond it, owners that have nothing waiting and do not pause are
 * dropped.
 */
export const OWNERS_REMEMBERED = 1_024;

interface Item<T> {
	readonly value: T;
	readonly weight: number;
}

/** Waiting items of one owner, oldest first. `next` is the index of the first one not yet taken. */
interface Line<T> {
	items: Item<T>[];
	next: number;
}

/**
 * A queue shared by several owners. Each owner's items leave in the order they came; between owners it is fair by
 * weight: they take turns, and while more than one is active, none gets more than its share of one take. An owner that
 * took more than TURN_WEIGHT in one take is skipped in the next if others wait, so a light item waits for at most one
 * heavy batch.
 */
export interface FairQueue<T> {
	/** `now`: monotonic milliseconds. */
	push(owner: string, weight: number, value: T, now: number): void;
	/** Takes items of at most `maxWeight` (one item may weigh more), `maxShare` per owner while others are active. */
	take(maxWeight: number, maxShare: number, now: number): T[];
	/** Waiting items of one owner. */
	waitingOf(owner: string): number;
	readonly size: number;
	/** Number of owners remembered, including those with nothing waiting. */
	readonly owners: number;
}

export function createFairQueue<T>(): FairQueue<T> {
	const lines = createLines<T>();
	/** The lines with waiting items, in the order of their turns. */
	let turns: Line<T>[] = [];
	let size = 0;
	let lastOwner: string | null = null;
	let rivalsSince = Number.NEGATIVE_INFINITY;
	/** The lines that took more than TURN_WEIGHT in the last take, and are skipped in the next if others wait. */
	let pausing: readonly Line<T>[] = [];

	/** Drops the taken items and moves the lines that had a turn to the end. */
	const tidy = (had: ReadonlyMap<Line<T>, number>): void => {
		for (const line of had.keys()) {
			line.items = line.items.slice(line.next);
			line.next = 0;
		}
		const behind = [...had.keys()].filter(({ items }) => items.length > 0);
		turns = [...turns.filter((line) => !had.has(line)), ...behind];
	};
	return {
		push(owner, weight, value, now) {
			if (lastOwner !== null && lastOwner !== owner) rivalsSince = now;
			lastOwner = owner;
			const line = lines.of(owner, turns.length + pausing.length, pausing);
			if (line.items.length === 0) turns.push(line);
			line.items.push({ value, weight });
			size++;
		},
		take(maxWeight, maxShare, now) {
			const share = now - rivalsSince <= RIVAL_FOR_MS ? Math.min(maxShare, maxWeight) : maxWeight;
			const taken: T[] = [];
			const had = new Map<Line<T>, number>();
			let total = 0;
			const paused = turns.every((line) => pausing.includes(line)) ? [] : pausing;
			for (let progress = true; progress && total < maxWeight; ) {
				progress = false;
				for (const line of turns) {
					if (paused.includes(line)) continue;
					const sofar = had.get(line) ?? 0;
					const room = Math.min(maxWeight - total, share - sofar);
					const weight = takeTurn(line, room, sofar === 0 && taken.length === 0, taken);
					if (weight === 0) continue;
					progress = true;
					had.set(line, sofar + weight);
					total += weight;
				}
			}
			tidy(had);
			pausing = [...had].filter(([, weight]) => weight > TURN_WEIGHT).map(([line]) => line);
			size -= taken.length;
			return taken;
		},
		waitingOf: (owner) => {
			const line = lines.find(owner);
			return line === undefined ? 0 : line.items.length - line.next;
		},
		get size() {
			return size;
		},
		get owners() {
			return lines.count();
		},
	};
}

/** Takes from one line as much as its owner may still have in this turn. Returns the weight taken. */
function takeTurn<T>(line: Line<T>, room: number, first: boolean, into: T[]): number {
	let weight = 0;
	while (line.next < line.items.length && weight < TURN_WEIGHT) {
		const item = line.items[line.next] as Item<T>;
		if (weight + item.weight > room && !(first && weight === 0)) break;
		into.push(item.value);
		weight += item.weight;
		line.next++;
	}
	return weight;
}

/**
 * The lines by owner, kept when empty. A map from which every batch deletes entries leaves old tables behind that still
 * hold commands and point to one another: garbage that the young-generation collector cannot tell from live data
 * (docs/decisions/0062).
 */
function createLines<T>() {
	let lines = new Map<string, Line<T>>();
	return {
		find: (owner: string): Line<T> | undefined => lines.get(owner),
		count: (): number => lines.size,
		/** An owner's line. `needed`: the number of lines that wait or pause; `pausing`: the latter. */
		of(owner: string, needed: number, pausing: readonly Line<T>[]): Line<T> {
			let line = lines.get(owner);
			if (line !== undefined) return line;
			if (lines.size >= Math.max(OWNERS_REMEMBERED, 2 * needed)) {
				lines = new Map([...lines].filter(([, known]) => known.items.length > 0 || pausing.includes(known)));
			}
			line = { items: [], next: 0 };
			lines.set(owner, line);
			return line;
		},
	};
}
