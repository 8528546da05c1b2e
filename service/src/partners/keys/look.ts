import { patiently } from "../../ground/pg/patience.ts";
import { TooManyWait } from "../http/caller.ts";
import type { KeyCache } from "./key-cache.ts";

export interface KeyPatience {
	/** Requests of one owner that wait for a reading of the keys at one time; a further one is refused at once. */
	readonly mostWaitingOfOne: number;
	/** Milliseconds that one of them waits, in all. */
	readonly waitMs: number;
}

/**
 * While the database is away every request waits: so many, so long. A database that restarts is no reason to turn a
 * good key away.
 */
const PATIENCE: KeyPatience = { mostWaitingOfOne: 250, waitMs: 5_000 };

/**
 * One reading of the keys that begins after the call; rejects when it does not succeed in time. `owner`: who waits.
 * @throws TooManyWait
 */
export type KeyLook = (owner: string) => Promise<void>;

export function createLook(cache: KeyCache, { mostWaitingOfOne, waitMs }: KeyPatience = PATIENCE): KeyLook {
	const waiting = new Map<string, number>();
	return async (owner) => {
		const others = waiting.get(owner) ?? 0;
		if (others >= mostWaitingOfOne) throw new TooManyWait();
		waiting.set(owner, others + 1);
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_resolve, reject) => {
			timer = setTimeout(() => reject(new Error(`the keys could not be read within ${waitMs} ms`)), waitMs);
		});
		try {
			await Promise.race([patiently(() => cache.refresh(), waitMs), late]);
		} finally {
			clearTimeout(timer);
			const left = (waiting.get(owner) ?? 1) - 1;
			if (left > 0) waiting.set(owner, left);
			else waiting.delete(owner);
		}
	};
}
