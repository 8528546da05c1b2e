/** Weight that one owner may take in a turn before the next owner has one. Who takes more than one turn pauses after it. */
const TURN_WEIGHT = 32;
/** Milliseconds after which an owner that asked for nothing no longer counts as a rival of the others. */
const RIVAL_FOR_MS = 1_000;

const NOBODY: ReadonlySet<string> = new Set();

interface Item<T> {
	readonly value: T;
	readonly weight: number;
}

/** Items of one owner, the oldest first. `next` is the place of the first that was not taken. */
interface Line<T> {
	readonly items: Item<T>[];
	next: number;
}

/**
 * A queue shared by several owners. Each owner's items leave in the order they came; between owners it is fair by weight: they take
 * turns, and while more than one of them is asking, none gets more than its share of what leaves together. An owner that took more
 * than a turn leaves the next take to the others, if any of them waits: so a light item waits for one heavy batch, not for two.
 */
export interface FairQueue<T> {
	/** `now`: monotonic milliseconds. */
	push(owner: string, weight: number, value: T, now: number): void;
	/**
	 * Takes items that together weigh at most `maxWeight`; a single item may weigh more. `maxShare`: the most that one owner gets
	 * of it while another asks too.
	 */
	take(maxWeight: number, maxShare: number, now: number): T[];
	/** Items of one owner that wait. */
	waitingOf(owner: string): number;
	readonly size: number;
}

export function createFairQueue<T>(): FairQueue<T> {
	const lines = new Map<string, Line<T>>();
	let size = 0;
	let lastOwner: string | null = null;
	let rivalsSince = Number.NEGATIVE_INFINITY;
	/** Owners that took more than a turn last time. */
	let pausing: ReadonlySet<string> = new Set();

	/** Takes of one line what its owner may still have in this turn. Returns the weight taken. */
	const takeTurn = (line: Line<T>, room: number, first: boolean, into: T[]): number => {
		let weight = 0;
		while (line.next < line.items.length && weight < TURN_WEIGHT) {
			const item = line.items[line.next] as Item<T>;
			if (weight + item.weight > room && !(first && weight === 0)) break;
			into.push(item.value);
			weight += item.weight;
			line.next++;
		}
		return weight;
	};
	const tidy = (owner: string, line: Line<T>): void => {
		lines.delete(owner);
		if (line.next === line.items.length) return;
		// what was taken is let go; the owner's next turn comes after everybody else's
		lines.set(owner, line.next === 0 ? line : { items: line.items.slice(line.next), next: 0 });
	};
	return {
		push(owner, weight, value, now) {
			if (lastOwner !== null && lastOwner !== owner) rivalsSince = now;
			lastOwner = owner;
			const line = lines.get(owner);
			if (line) line.items.push({ value, weight });
			else lines.set(owner, { items: [{ value, weight }], next: 0 });
			size++;
		},
		take(maxWeight, maxShare, now) {
			const share = now - rivalsSince <= RIVAL_FOR_MS ? Math.min(maxShare, maxWeight) : maxWeight;
			const taken: T[] = [];
			const had = new Map<string, number>();
			let total = 0;
			const paused = [...lines.keys()].every((owner) => pausing.has(owner)) ? NOBODY : pausing;
			for (let progress = true; progress && total < maxWeight; ) {
				progress = false;
				for (const [owner, line] of lines) {
					if (paused.has(owner)) continue;
					const sofar = had.get(owner) ?? 0;
					const room = Math.min(maxWeight - total, share - sofar);
					const weight = takeTurn(line, room, sofar === 0 && taken.length === 0, taken);
					if (weight === 0) continue;
					progress = true;
					had.set(owner, sofar + weight);
					total += weight;
				}
			}
			for (const owner of had.keys()) tidy(owner, lines.get(owner) as Line<T>);
			pausing = new Set([...had].filter(([, weight]) => weight > TURN_WEIGHT).map(([owner]) => owner));
			size -= taken.length;
			return taken;
		},
		waitingOf: (owner) => {
			const line = lines.get(owner);
			return line === undefined ? 0 : line.items.length - line.next;
		},
		get size() {
			return size;
		},
	};
}
