import { Budget, type Standing } from "./budget.ts";
import type { Clock } from "./types.ts";

/** What all clients of one key share in this process. */
export interface Shared {
	readonly budget: Budget;
	/** The sales that are under way, by their `externalRef`. */
	readonly sales: Map<string, Promise<unknown>>;
}

/** The standing of a client's key, by the client's `raw`, which is all that mirrors know about it. */
export const standings = new WeakMap<object, Standing>();

/** By the clock that is used, so that a test with its own clock shares nothing. */
const byClock = new WeakMap<Clock, Map<string, Shared>>();

/** `key`: the address of the service and the public half of the token. */
export function sharedOf(clock: Clock, key: string): Shared {
	const ofClock = byClock.get(clock) ?? new Map<string, Shared>();
	byClock.set(clock, ofClock);
	const shared = ofClock.get(key) ?? { budget: new Budget(clock), sales: new Map() };
	ofClock.set(key, shared);
	return shared;
}
