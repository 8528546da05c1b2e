import { patiently } from "../../ground/pg/patience.ts";
import { TooManyWait } from "../http/caller.ts";
import type { KeyCache } from "./key-cache.ts";

export interface KeyPatience {
	/** Maximum number of requests of one owner that wait for a read of the keys; further ones are refused at once. */
	readonly mostWaitingOfOne: number;
	/** Milliseconds that one such request waits in total. */
	readonly waitMs: number;
}

/** Limits of waiting requests while the database is away: while it restarts, valid keys must not be turned away. */
const PATIENCE: KeyPatience = { mostWaitingOfOne: 250, waitMs: 5_000 };

/** A read of the keys that begins after the call; rejects if it is late. `owner`: who waits. @throws TooManyWait */
export type RefreshKeys = (owner: string) => Promise<void>;

export function createRefreshKeys(cache: KeyCache, { mostWaitingOfOne, waitMs }: KeyPatience = PATIENCE): RefreshKeys {
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
