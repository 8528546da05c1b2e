import { InvalidArgumentError } from "commander";
import { isDay, parseInstant } from "../../../service/src/ground/lib/instant.ts";

/** Parsers of option values; an invalid value is a usage error, exit code 2. */

export const wholeNumber =
	(least: number, most: number) =>
	(text: string): number => {
		const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
		if (value >= least && value <= most) return value;
		throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
	};

/** The same for the limits of a field, as the API's document gives them. */
export const within = ({ least, most }: { readonly least: number; readonly most: number }) => wholeNumber(least, most);

/** The default and the maximum number of rows of a list. */
export const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000;

/** The option for the number of rows of a list. */
export const limitOption = (usual: number = DEFAULT_LIMIT, what = "maximum number of rows", most = MAX_LIMIT) =>
	["--limit <n>", `${what} (${usual})`, wholeNumber(1, most)] as const;

export function day(text: string): string {
	if (isDay(text)) return text;
	throw new InvalidArgumentError("It must be a day, YYYY-MM-DD.");
}

export function instant(text: string): Date {
	const ms = parseInstant(text);
	if (ms !== null) return new Date(ms);
	throw new InvalidArgumentError("It must be a time with its zone, like 2026-11-21T10:00:00Z.");
}

export function uuid(text: string): string {
	if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
	throw new InvalidArgumentError("It must be an id, like 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d.");
}

/** One of some values. The parser has them as `choices`, for the completion of a shell. */
export function choice<T extends string>(...choices: readonly T[]): ((text: string) => T) & Choices {
	const parse = (text: string): T => {
		const found = choices.find((one) => one === text);
		if (found !== undefined) return found;
		throw new InvalidArgumentError(`It must be one of ${choices.join(", ")}.`);
	};
	return Object.assign(parse, { choices });
}

export interface Choices {
	readonly choices: readonly string[];
}

/** Kits by SKU, `SKU=QTY`, collected from every use of the option. */
export function kitsBySku(text: string, before: readonly { readonly sku: string; readonly qty: number }[] = []) {
	const [, sku = "", qty = ""] = /^(.+)=(\d{1,9})$/.exec(text) ?? [];
	if (sku === "" || Number(qty) < 1) throw new InvalidArgumentError("It must be SKU=QTY, like ROSE-10=2.");
	return [...before, { sku, qty: Number(qty) }];
}
