import { Counter, type Registry } from "prom-client";
import { metricsOn } from "./figure-metrics.ts";

/** Upper bounds of the buckets of a batch's commands: 512 request lines are the most that one takes. */
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** Upper bounds of the buckets of a batch's duration, in seconds. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** What became of a hold. */
export const HOLD_OUTCOMES = ["made", "replayed", "released", "consumed", "reversed", "placed", "expired"] as const;
export type HoldOutcome = (typeof HOLD_OUTCOMES)[number];

/** The figures of the engine's work. */
export interface WorkMetrics {
	/** A batch was committed: how many commands, milliseconds it took. */
	batch(commands: number, ms: number): void;
	/** Something became of a hold. Plain numbers: this is on the way of every reserve. */
	hold(outcome: HoldOutcome): void;
}

export function createWorkMetrics(registry: Registry): WorkMetrics {
	const { histogram } = metricsOn(registry);
	const sizes = histogram("holdfast_batch_commands", "Commands of a batch that was committed.", SIZE_BUCKETS);
	const took = "Duration of the attempt that committed a batch.";
	const seconds = histogram("holdfast_batch_seconds", took, SECONDS_BUCKETS);
	const counts = Object.fromEntries(HOLD_OUTCOMES.map((outcome) => [outcome, 0])) as Record<HoldOutcome, number>;
	new Counter({
		name: "holdfast_holds_total",
		help: "What became of holds. expired: as far as the sweep ended them; a batch that meets an overdue hold ends it uncounted.",
		labelNames: ["outcome"],
		registers: [registry],
		collect() {
			this.reset();
			for (const outcome of HOLD_OUTCOMES) this.inc({ outcome }, counts[outcome]);
		},
	});
	return {
		batch(commands, ms) {
			sizes.observe(commands);
			seconds.observe(ms / 1_000);
		},
		hold(outcome) {
			counts[outcome]++;
		},
	};
}
