/** The result of a run: its figures, and whether they prove anything. */
import type { Case } from "./check/case.ts";
import type { Finding } from "./check/findings.ts";
import { type LongestWait, longestWait } from "./check/waits.ts";
import { type Outcome, outcomeOf, outcomeOfErrand } from "./history.ts";
import type { Tally } from "./rooms/room.ts";
import { ROOMS } from "./rooms/rooms.ts";

export interface Figures {
	readonly seed: number;
	readonly commit: string;
	readonly minutes: number;
	/** Minutes in which partners could work, in a run of many long faults; absent: all. */
	readonly workMinutes?: number;
	readonly operations: number;
	readonly byOperation: Readonly<Record<string, number>>;
	readonly byOutcome: Readonly<Record<Outcome, number>>;
	readonly byStatus: Readonly<Record<string, number>>;
	readonly errands: number;
	readonly errandsUnknown: number;
	/** Faults that the run must have had; absent: LEAST_FAULTS_PER_MINUTE. */
	readonly leastFaults?: number;
	/** Counts of all requested kinds, including zero. */
	readonly faults: Readonly<Record<string, number>>;
	/** Faults that do not count as one of their kind: there was nothing to hit, or another fault interrupted them. */
	readonly toNothing: Readonly<Record<string, number>>;
	/** Kinds that this ground does not offer, and why. */
	readonly notOffered: Readonly<Record<string, string>>;
	readonly foreignWrites: number;
	readonly probes: number;
	readonly longestWait: LongestWait | null;
	/** What a run must have done: the actual and the required counts. */
	readonly exercised: readonly { readonly what: string; readonly count: number; readonly least: number }[];
	/** Final counts by subject and state. */
	readonly tally: Tally;
}

export interface Verdict {
	readonly figures: Figures;
	readonly findings: readonly Finding[];
	/** The report of `holdfast verify`; null: no differences. */
	readonly verify: string | null;
	/** Why the run is inconclusive; empty: it is conclusive. */
	readonly inconclusive: readonly string[];
	readonly result: "passed" | "failed" | "inconclusive";
}

/** The minimum of each per minute, without which a run proves nothing. */
const LEAST_OPERATIONS_PER_MINUTE = 2_000;
const LEAST_FAULTS_PER_MINUTE = 2;
const LEAST_ERRANDS_PER_MINUTE = 4;
const LEAST_POSTS_PER_MINUTE = 20;
/** Share of its time in which a run of many long faults can do its work. */
const WORK_SHARE = 1 / 2;
/** Each kind of fault must occur at least this often, as a fraction of its even share. */
const LEAST_SHARE = 1 / 3;

/** Facts about the run that are not in its history. */
export interface Circumstances {
	readonly minutes: number;
	readonly kinds: readonly string[];
	readonly notOffered: Readonly<Record<string, string>>;
	readonly foreignWrites: number;
	readonly probes: number;
	/** Faults that were asked for; Infinity: none in particular. */
	readonly most: number;
	/** The run ended because the ground could not be restored. */
	readonly broken: string | null;
}

export function figuresOf(on: Case, circumstances: Circumstances): Figures {
	const { minutes, kinds, notOffered, foreignWrites, probes, most } = circumstances;
	const byOutcome: Record<Outcome, number> = { done: 0, refused: 0, unknown: 0, unsent: 0 };
	for (const exchange of on.exchanges) byOutcome[outcomeOf(exchange)]++;
	const workMinutes = Number.isFinite(most) ? minutes * WORK_SHARE : minutes;
	const faults = tally(on.faults.map(({ fault }) => fault));
	return {
		seed: on.opening.seed,
		commit: on.opening.commit,
		minutes,
		operations: on.exchanges.length,
		byOperation: tally(on.exchanges.map(({ op }) => op)),
		byOutcome,
		byStatus: tally(on.exchanges.map(({ status, trouble }) => String(status ?? trouble))),
		errands: on.errands.length,
		errandsUnknown: on.errands.filter((errand) => outcomeOfErrand(errand) === "unknown").length,
		...(Number.isFinite(most) ? { leastFaults: most, workMinutes } : {}),
		faults: Object.fromEntries(kinds.map((kind) => [kind, faults[kind] ?? 0])),
		toNothing: Object.fromEntries(Object.entries(faults).filter(([kind]) => !kinds.includes(kind))),
		notOffered,
		foreignWrites,
		probes,
		longestWait: longestWait(on),
		exercised: ROOMS.flatMap(({ oracle }) => oracle.exercised?.(on) ?? []).map(
			({ what, count, perMinute, always = 0 }) => ({
				what,
				count,
				least: Math.max(always, Math.floor(perMinute * workMinutes)),
			}),
		),
		tally: Object.assign({}, ...ROOMS.map(({ oracle }) => oracle.tally?.(on) ?? {})) as Tally,
	};
}

function tally(words: readonly string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
	return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}

export function decide(
	figures: Figures,
	findings: readonly Finding[],
	verify: string | null,
	broken: string | null,
): Verdict {
	const inconclusive = [...(broken === null ? [] : [broken]), ...tooFew(figures)];
	const failed = findings.length > 0 || verify !== null;
	return {
		figures,
		findings,
		verify,
		inconclusive,
		result: failed ? "failed" : inconclusive.length > 0 ? "inconclusive" : "passed",
	};
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

function tooFew(figures: Figures): string[] {
	const {
		workMinutes: minutes = figures.minutes,
		operations,
		faults,
		leastFaults,
		errands,
		foreignWrites,
		exercised,
		tally: { posts = {} },
	} = figures;
	const counts = Object.values(faults);
	const total = sumOf(counts);
	const least = Math.floor((total / Math.max(1, counts.length)) * LEAST_SHARE);
	const rare = Object.entries(faults).filter(([, count]) => count < least);
	const few = (what: string, count: number, perMinute: number): string[] =>
		count >= perMinute * minutes ? [] : [`${count} ${what}, at least ${Math.ceil(perMinute * minutes)} are needed`];
	return [
		...few("operations", operations, LEAST_OPERATIONS_PER_MINUTE),
		...few("commands of operators", errands, LEAST_ERRANDS_PER_MINUTE),
		...few("posts of webhooks", sumOf(Object.values(posts)), LEAST_POSTS_PER_MINUTE),
		...(counts.length > 0 && leastFaults === undefined ? few("faults", total, LEAST_FAULTS_PER_MINUTE) : []),
		...(total >= (leastFaults ?? 0) ? [] : [`${total} faults, ${leastFaults} were asked for`]),
		...exercised
			.filter(({ count, least: needed }) => count < needed)
			.map(({ what, count, least: needed }) => `${count} ${what}, at least ${needed} are needed`),
		...rare.map(([kind, count]) => `${kind} occurred ${count} times, at least ${least} are needed`),
		...(foreignWrites > 0 ? [] : ["the foreign database was not written"]),
	];
}
