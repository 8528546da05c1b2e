import type { Manner } from "./lists.ts";

/** A row as a mirror keeps it: id, time of its last change, state. */
export type Row = readonly [id: string, time: string | null, state: string];

/** A page that a reader received and put into its mirror. */
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

/** The whole list after all changes. */
export interface WholeNote {
	readonly what: "whole";
	readonly list: string;
	readonly rows: readonly Row[];
}

export type ReaderNote = PageNote | RefusedNote | WholeNote;
