import { Counter, Histogram, type Registry } from "prom-client";

/** Upper bounds of a batch's size in commands; a batch takes at most 512 request lines. */
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** Upper bounds of a batch's duration, in seconds. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export const HOLD_OUTCOMES = ["made", "replayed", "released", "consumed", "reversed", "placed", "expired"] as const;
export type HoldOutcome = (typeof HOLD_OUTCOMES)[number];

/** Metrics of the engine's work. */
export interface WorkMetrics {
	/** A batch was committed: its number of commands, and its duration in milliseconds. */
	batch(commands: number, ms: number): void;
	/** Counts an outcome. Plain numbers, because every reserve calls it. */
	hold(outcome: HoldOutcome): void;
}

export function createWorkMetrics(registry: Registry): WorkMetrics {
	const registers = [registry];
	const sizes = new Histogram({
		name: "holdfast_batch_commands",
		help: "Commands of a batch that was committed.",
		buckets: SIZE_BUCKETS,
		registers,
	});
	const seconds = new Histogram({
		name: "holdfast_batch_seconds",
		help: "Duration of the attempt that committed a batch.",
		buckets: SECONDS_BUCKETS,
		registers,
	});
	const counts = Object.fromEntries(HOLD_OUTCOMES.map((outcome) => [outcome, 0])) as Record<HoldOutcome, number>;
	new Counter({
		name: "holdfast_holds_total",
		help: "What became of holds. expired: as far as the sweep ended them; a batch that meets an overdue hold ends it uncounted.",
		labelNames: ["outcome"],
		registers,
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
