import type { Health, Trouble } from "./health.ts";

/** An object of unknown members. */
export type Json = Readonly<Record<string, unknown>>;

/** A copy of some of the service's data. */
export interface Copy<Content> {
	readonly content: Content;
	/** When it was requested from the service; null: not known. */
	readonly readAt: number | null;
}

/** What a mirror keeps across a restart. */
export interface Kept<Content> extends Copy<Content> {
	readonly trouble: Trouble | null;
	/** The health that people were last alerted to; null: not known. */
	readonly told: Health | null;
}

/** How a store spells a mirror's content. */
export interface Spelling<Content> {
	/** Tells the stores of mirrors apart. */
	readonly name: string;
	toJson(content: Content): unknown;
	/** Null: it was written by somebody else. */
	fromJson(json: unknown): Content | null;
}

/** Moments as the clock shows them at its present setting. */
interface Shown {
	now(): number;
	dateOf(moment: number): Date;
	momentOf(date: Date): number;
}

const VERSION = 1;
const TOLD: readonly unknown[] = ["well", "failing", "stale", "unauthorized", null] satisfies (Health | null)[];

/** The text of a store. */
export function textOf<Content>(spelling: Spelling<Content>, kept: Kept<Content>, clock: Shown): string {
	const { content, readAt, trouble, told } = kept;
	return JSON.stringify({
		holdfast: spelling.name,
		version: VERSION,
		savedAt: clock.dateOf(clock.now()),
		readAt: readAt === null ? null : clock.dateOf(readAt),
		trouble: trouble === null ? null : { kind: trouble.kind, since: clock.dateOf(trouble.since) },
		told,
		content: spelling.toJson(content),
	});
}

/**
 * What a store kept; null: nothing, or a text that is damaged or not a mirror's. A time in the future means that the
 * clock was set back or is another clock: the age of the copy is then not known. If the clock was set back by less than
 * the time since the save, the text does not show it, and the copy looks younger by that amount until the service is
 * read.
 */
export function keptIn<Content>(spelling: Spelling<Content>, text: string | null, clock: Shown): Kept<Content> | null {
	const { holdfast, version, savedAt, readAt, trouble, told, content } = parsed(text);
	if (holdfast !== spelling.name || version !== VERSION || !TOLD.includes(told)) return null;
	const saved = momentIn(savedAt, clock);
	const read = momentIn(readAt, clock);
	const before = trouble === null ? null : troubleIn(trouble, clock);
	const own = spelling.fromJson(content);
	if (saved === null || (read === null && readAt !== null) || before === undefined || own === null) return null;
	const isBelieved = saved <= clock.now() && (read ?? saved) <= saved;
	return { content: own, readAt: isBelieved ? read : null, trouble: before, told: told as Health | null };
}

function parsed(text: string | null): Json {
	try {
		return (JSON.parse(text ?? "null") ?? {}) as Json;
	} catch {
		return {};
	}
}

function momentIn(value: unknown, clock: Shown): number | null {
	const date = new Date(typeof value === "string" ? value : Number.NaN);
	return Number.isNaN(date.getTime()) ? null : clock.momentOf(date);
}

function troubleIn(value: unknown, clock: Shown): Trouble | undefined {
	const { kind, since } = (value ?? {}) as Json;
	const from = momentIn(since, clock);
	if ((kind !== "failing" && kind !== "unauthorized") || from === null) return undefined;
	return { kind, since: Math.min(from, clock.now()) };
}
