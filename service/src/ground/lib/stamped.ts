/** A value in memory, as of one moment in the history of an epoch. The stamp shows whether it is still current. */
export interface Stamped {
	/** Random, and new with every change: unlike a number, it never recurs with other contents. */
	readonly stamp: string;
}

/** The stamp of a value that was never read. */
export const NO_STAMP = "00000000-0000-0000-0000-000000000000";
