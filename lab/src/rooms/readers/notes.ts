import type { Manner } from "./lists.ts";

/** A row as a mirror keeps it: id, time of its last change, what it was. */
export type Row = readonly [id: string, time: string | null, state: string];

/** A page that a reader was answered, and put into its mirror. */
export interface PageNote {
	readonly what: "page";
	readonly list: string;
	readonly manner: Manner;
	readonly rows: readonly Row[];
}

/** A reader was refused. */
export interface RefusedNote {
	readonly what: "refused";
	readonly list: string;
	readonly manner: Manner;
	readonly status: number;
	readonly reply: unknown;
}

/** The list from its beginning to its end, when nothing changed any more. */
export interface WholeNote {
	readonly what: "whole";
	readonly list: string;
	readonly rows: readonly Row[];
}

export type ReaderNote = PageNote | RefusedNote | WholeNote;
