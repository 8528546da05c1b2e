import { setImmediate as nextTurn } from "node:timers/promises";
import { monotonicMs } from "./clock.ts";

/** A long computation: a generator that yields wherever the process may do other work in between. */
export type Paced<T> = Generator<undefined, T, undefined>;

/** Milliseconds of a long computation between two turns of the event loop. */
const TURN_MS = 10;

/** Runs a long computation beside other work of the process. */
export async function inTurns<T>(work: Paced<T>): Promise<T> {
	for (let begunAt = monotonicMs(); ; ) {
		const { done, value } = work.next();
		if (done) return value;
		if (monotonicMs() - begunAt < TURN_MS) continue;
		await nextTurn();
		begunAt = monotonicMs();
	}
}

/** Runs a long computation in a process that has no other work. */
export function inOneGo<T>(work: Paced<T>): T {
	for (;;) {
		const { done, value } = work.next();
		if (done) return value;
	}
}

/** Number of items of a list between two pauses for other work. */
const ITEMS_BETWEEN = 500;

/** `flatMap` of a long list. */
export function* flatMapPaced<T, U>(items: readonly T[], map: (item: T, at: number) => readonly U[]): Paced<U[]> {
	const all: U[] = [];
	for (const [at, item] of items.entries()) {
		for (const one of map(item, at)) all.push(one);
		if (at % ITEMS_BETWEEN === 0) yield;
	}
	return all;
}
