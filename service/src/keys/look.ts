import { patiently } from "../pg/patience.ts";
import type { KeyCache } from "./key-cache.ts";

export interface KeyPatience {
	/** Requests that wait for a reading of the keys at one time; a further one fails at once. */
	readonly mostWaiting: number;
	/** Milliseconds that one of them waits, in all. */
	readonly waitMs: number;
}

/** While the database is away every request waits: so many, so long. A database that restarts is no reason to turn a good key away. */
const PATIENCE: KeyPatience = { mostWaiting: 1_000, waitMs: 5_000 };

/** One reading of the keys that begins after the call; rejects when it does not succeed in time. */
export type KeyLook = () => Promise<void>;

export function createLook(cache: KeyCache, { mostWaiting, waitMs }: KeyPatience = PATIENCE): KeyLook {
	let waiting = 0;
	return async () => {
		if (waiting >= mostWaiting) throw new Error(`more than ${mostWaiting} requests wait for the keys to be read`);
		waiting++;
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_resolve, reject) => {
			timer = setTimeout(() => reject(new Error(`the keys could not be read within ${waitMs} ms`)), waitMs);
		});
		try {
			await Promise.race([patiently(() => cache.refresh(), waitMs), late]);
		} finally {
			clearTimeout(timer);
			waiting--;
		}
	};
}
