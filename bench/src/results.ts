import type { Measured } from "./children.ts";
import type { Starts } from "./starts.ts";
import type { Sending } from "./webhooks.ts";

/** One measurement of one cell in one round. */
export interface Sample extends Measured {
	/** Number of connections. */
	readonly connections: number;
}

/** Bytes. */
export interface Memory {
	readonly service: number;
	readonly postgres: number;
}

export interface Results {
	/** By cell id, one for each round. */
	readonly samples: Map<string, Sample[]>;
	readonly starts: Starts[];
	/** One for each round. */
	readonly sending: Sending[];
	/** By moment, one for each round. */
	readonly memory: Map<string, Memory[]>;
	/** Numbers of connections found best by trying; for the database alone by cell id. */
	readonly best: { readonly plainPools: { spread?: number; hot?: number }; readonly database: Map<string, number> };
	/** Result of `verify` for each world at the end. */
	readonly verdicts: Map<string, string>;
}

/** The figures of a cell in the table: medians over the rounds. */
export interface Figures {
	readonly connections: number;
	/** Requests per second with the expected answer. */
	readonly rate: number;
	readonly lowest: number;
	readonly highest: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** Microseconds of CPU per request: the server, PostgreSQL, the generator. */
	readonly serverUs: number;
	readonly postgresUs: number;
	readonly generatorUs: number;
	/** Share of requests with any other answer. */
	readonly otherShare: number;
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	if (sorted.length === 0) return Number.NaN;
	return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const rateOf = ({ answered, seconds }: Sample): number => answered / seconds;
const MICROSECONDS = 1e6;

export function figuresOf(samples: readonly Sample[]): Figures {
	const of = (value: (sample: Sample) => number): number => median(samples.map(value));
	const rates = samples.map(rateOf);
	const perRequest = (seconds: number | undefined, { answered }: Sample): number =>
		((seconds ?? 0) / answered) * MICROSECONDS;
	return {
		connections: samples[0]?.connections ?? 0,
		rate: median(rates),
		lowest: Math.min(...rates),
		highest: Math.max(...rates),
		p50Ms: of(({ p50Ms }) => p50Ms),
		p99Ms: of(({ p99Ms }) => p99Ms),
		serverUs: of((sample) => perRequest(sample.cpu[0], sample)),
		postgresUs: of((sample) => perRequest(sample.cpu[1], sample)),
		generatorUs: of((sample) => perRequest(sample.cpuSeconds, sample)),
		otherShare: of((sample) => {
			const others = Object.values(sample.others).reduce((sum, count) => sum + count, 0);
			return others / Math.max(1, others + sample.answered);
		}),
	};
}
