/** How sending stands on all nodes together. */
export interface SendingFigures {
	/** Events that wait for an endpoint, and those of them whose time has come. */
	readonly pending: number;
	readonly due: number;
	/** Seconds since the oldest of them was recorded, and since the time of the most overdue came. */
	readonly oldestSeconds: number;
	readonly lateSeconds: number;
	/** Endpoints that were deactivated, and active ones whose last attempt failed. */
	readonly deactivated: number;
	readonly failing: number;
}
