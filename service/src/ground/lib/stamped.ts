/**
 * Something in memory that is of one moment in the history of an epoch. The stamp alone says whether it is still true.
 */
export interface Stamped {
	/** Random, made anew with every change: unlike a number it never comes back with other contents. */
	readonly stamp: string;
}

/** The stamp of what was never read. */
export const NO_STAMP = "00000000-0000-0000-0000-000000000000";
