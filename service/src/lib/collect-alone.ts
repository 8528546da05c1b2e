import { setFlagsFromString } from "node:v8";

/**
 * Makes the collector of young objects work in the main thread alone. Its helpers wait for each other, which costs a process that shares
 * few cores with its database a tenth of its throughput, sometimes a quarter (docs/decisions/0025). Call it once, first of all.
 */
export function collectAlone(): void {
	setFlagsFromString("--no-parallel-scavenge");
}
