/** How far back figures are shown. */
export const RANGES = ["hour", "day", "month", "year"] as const;
export type Range = (typeof RANGES)[number];
const USUAL: Range = "day";

const DAY_MS = 86_400_000;
const DAYS_OF_A_YEAR = 365;
/** Milliseconds between two reads: the service writes figures every ten seconds. */
const SOON_MS = 10_000;
const LATER_MS = 60_000;

export const rangeOf = (text: string | null): Range => RANGES.find((range) => range === text) ?? USUAL;

interface AskedRange {
	readonly query: { readonly step: "minute" | "hour" | "day"; readonly from?: string };
	readonly everyMs: number;
}

/** What is asked for. Only a year names its beginning, which changes once a day; the others are the service's usual. */
export function askedFor(range: Range): AskedRange {
	switch (range) {
		case "hour":
			return { query: { step: "minute" }, everyMs: SOON_MS };
		case "day":
			return { query: { step: "hour" }, everyMs: SOON_MS };
		case "month":
			return { query: { step: "day" }, everyMs: LATER_MS };
		case "year": {
			const today = Math.floor(Date.now() / DAY_MS);
			const from = new Date((today - DAYS_OF_A_YEAR) * DAY_MS).toISOString();
			return { query: { step: "day", from }, everyMs: LATER_MS };
		}
	}
}
