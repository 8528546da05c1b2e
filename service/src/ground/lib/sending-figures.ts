/** The state of webhook delivery on all nodes together. */
export interface SendingFigures {
	/** Pending deliveries, and how many of them are due. */
	readonly pending: number;
	readonly due: number;
	/** Seconds since the oldest was recorded, and by which the most overdue is late. */
	readonly oldestSeconds: number;
	readonly lateSeconds: number;
	/** Deactivated endpoints, and active ones whose last attempt failed. */
	readonly deactivated: number;
	readonly failing: number;
}
