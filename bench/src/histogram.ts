/** Counts durations in buckets that grow by 2 %: quantiles to that precision in constant memory. */
const GROWTH = 1.02;
const LOG_GROWTH = Math.log(GROWTH);
/** 2 % steps from 1 microsecond to about 10 minutes. */
const BUCKETS = 1_024;

export class Histogram {
	readonly #counts = new Uint32Array(BUCKETS);
	#total = 0;

	add(milliseconds: number): void {
		const bucket = Math.floor(Math.log(Math.max(milliseconds * 1_000, 1)) / LOG_GROWTH);
		this.#counts[Math.min(bucket, BUCKETS - 1)]! += 1;
		this.#total++;
	}

	/** Milliseconds that `share` of the durations do not exceed; 0 when there are none. */
	quantile(share: number): number {
		let left = Math.ceil(this.#total * share);
		for (const [bucket, count] of this.#counts.entries()) {
			left -= count;
			if (left <= 0 && this.#total > 0) return GROWTH ** (bucket + 0.5) / 1_000;
		}
		return 0;
	}
}
