import type { DataOf } from "../api/call.ts";
import { words } from "../words/words.ts";

export type Series = DataOf<"get_series">;
type SeriesName = "requests" | "refusals" | "holds" | "deliveries";

/** A colour of the pages, and the dashes that tell a line from another of the same colour. */
interface LineLook {
	readonly colour: "link" | "good" | "bad" | "ink" | "quiet" | "edge";
	/** Lengths of dashes and gaps; none: a whole line. */
	readonly dashes: readonly number[];
}

/** One line of a chart, and one column of its table. */
export interface Line extends LineLook {
	readonly text: string;
	/** One figure for each time. */
	readonly values: readonly number[];
	readonly sum: number;
}

export interface Lines {
	/** The beginnings of all steps, in epoch milliseconds. */
	readonly times: readonly number[];
	readonly lines: readonly Line[];
}

const STEP_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const look = (colour: LineLook["colour"], ...dashes: number[]): LineLook => ({ colour, dashes });

/**
 * The known lines of each series, in the order in which they are drawn, and what they look like. A line without figures
 * is left out.
 */
const KNOWN: { readonly [name in Exclude<SeriesName, "refusals">]: Readonly<Record<string, LineLook>> } = {
	requests: { "2xx": look("good"), "3xx": look("quiet", 2, 3), "4xx": look("link", 8, 4), "5xx": look("bad", 4, 4) },
	holds: {
		made: look("link"),
		placed: look("good"),
		consumed: look("good", 8, 4),
		released: look("quiet", 4, 4),
		expired: look("bad", 4, 4),
		reversed: look("ink", 2, 3),
		replayed: look("edge", 12, 4, 2, 4),
	},
	deliveries: { delivered: look("good"), pending: look("link", 8, 4), exhausted: look("bad", 4, 4) },
};
/** The looks of the most frequent codes, in that order, and of all others together. */
const CODE_LOOKS = [look("bad"), look("link", 8, 4), look("ink", 2, 3), look("good", 4, 4), look("quiet")];
const OTHERS_LOOK = look("edge", 12, 4, 2, 4);

/** A series as lines over all times of its reply: a step without a point counts as 0. */
export function linesOf(name: SeriesName, { step, from, to, points }: Series): Lines {
	const times: number[] = [];
	for (let at = Date.parse(from); at < Date.parse(to); at += STEP_MS[step]) times.push(at);
	const found = new Map(points.map(({ at, by }) => [Date.parse(at), by]));
	const shown = name === "refusals" ? codesOf(points) : groupsOf(name, points);
	const lines = shown.map(({ text, labels, ...rest }) => {
		const values = times.map((at) => sumOf(found.get(at) ?? {}, labels));
		return { ...rest, text, values, sum: values.reduce((sum, value) => sum + value, 0) };
	});
	return { times, lines };
}

interface Group extends LineLook {
	readonly text: string;
	/** The labels that it adds up. */
	readonly labels: readonly string[];
}

function groupsOf(name: Exclude<SeriesName, "refusals">, points: Series["points"]): Group[] {
	const labels = [...new Set(points.flatMap(({ by }) => Object.keys(by)))];
	const groupOf = (label: string): string => (name === "requests" ? `${label.slice(0, 1)}xx` : label);
	const texts = { requests: words.figures.statuses, holds: words.figures.outcomes, deliveries: words.figures.attempts };
	const known = Object.keys(KNOWN[name]);
	const unknown = [...new Set(labels.map(groupOf))].filter((group) => !known.includes(group));
	return [...known, ...unknown].flatMap((group) => {
		const of = labels.filter((label) => groupOf(label) === group);
		if (of.length === 0) return [];
		return [{ ...(KNOWN[name][group] ?? OTHERS_LOOK), text: texts[name][group] ?? group, labels: of }];
	});
}

/** The most frequent codes, each by itself, and the others together. */
function codesOf(points: Series["points"]): Group[] {
	const sums: Record<string, number> = {};
	for (const { by } of points) {
		for (const [code, n] of Object.entries(by)) sums[code] = (sums[code] ?? 0) + n;
	}
	const codes = Object.keys(sums).toSorted((one, other) => (sums[other] ?? 0) - (sums[one] ?? 0));
	const named = CODE_LOOKS.flatMap((each, place): Group[] => {
		const code = codes[place];
		return code === undefined ? [] : [{ ...each, text: code, labels: [code] }];
	});
	const others = codes.slice(CODE_LOOKS.length);
	return others.length === 0 ? named : [...named, { ...OTHERS_LOOK, text: words.figures.others, labels: others }];
}

const sumOf = (by: Series["points"][number]["by"], labels: readonly string[]): number =>
	labels.reduce((sum, label) => sum + (by[label] ?? 0), 0);

/** The share of holds that became orders or consumes, in per cent of those made; null: none was made. */
export function conversionOf({ points }: Series): number | null {
	const of = (labels: readonly string[]): number => points.reduce((sum, { by }) => sum + sumOf(by, labels), 0);
	const made = of(["made"]);
	return made === 0 ? null : Math.round((of(["placed", "consumed"]) / made) * 100);
}
