import type { Series } from "./lines.ts";

const format = (options: Intl.DateTimeFormatOptions): ((at: number) => string) => {
	const formatter = new Intl.DateTimeFormat(undefined, options);
	return (at) => formatter.format(at);
};

/** The beginning of a step as text: minutes and hours in the reader's time zone; days are those of UTC. */
export const STEP_TEXT: { readonly [step in Series["step"]]: (at: number) => string } = {
	minute: format({ dateStyle: "medium", timeStyle: "short" }),
	hour: format({ dateStyle: "medium", timeStyle: "short" }),
	day: format({ dateStyle: "medium", timeZone: "UTC" }),
};
/** The same, short, for an axis. */
export const TICK_TEXT: { readonly [step in Series["step"]]: (at: number) => string } = {
	minute: format({ hour: "2-digit", minute: "2-digit" }),
	hour: format({ hour: "2-digit", minute: "2-digit" }),
	day: format({ month: "short", day: "numeric", timeZone: "UTC" }),
};

const NUMBER = new Intl.NumberFormat();
const SHORT_NUMBER = new Intl.NumberFormat(undefined, { notation: "compact" });
export const numberText = (value: number): string => NUMBER.format(value);
export const shortNumberText = (value: number): string => SHORT_NUMBER.format(value);
