import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceNode } from "../ground/service-node.ts";
import type { FaultContext, FaultRecord } from "../ground/types.ts";

/** Milliseconds after which a ground that has not recovered ends the run. */
export const WHOLE_MS = 60_000;

/** What a fault returns when it is done. */
export type Effect = Pick<FaultRecord, "what" | "touched" | "clockOff">;

/** There was nothing to hit. */
export interface Missed {
	readonly missed: string;
}

/** Runs a fault, waits until the ground has recovered, and records when it began and ended. */
export async function inject(
	fault: string,
	{ ground }: FaultContext,
	work: () => Promise<Effect | Missed>,
): Promise<FaultRecord> {
	const began = performance.now();
	const effect = await work();
	await ground.whole(WHOLE_MS);
	const ended = performance.now();
	if ("missed" in effect) return { fault: "missed", what: `${fault}: ${effect.missed}`, touched: "all", began, ended };
	return { fault, ...effect, began, ended };
}

/** Waits, but no longer than until the run is stopped. */
export async function last(ms: number, { stopped }: FaultContext): Promise<void> {
	await sleep(ms, undefined, { signal: stopped }).catch(() => undefined);
}

export const pickNode = ({ ground, chance }: FaultContext): ServiceNode => chance.pick(ground.works.nodes);

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
