import { monotonicMs } from "../../ground/lib/clock.ts";
import { newId } from "../../ground/lib/ids.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { type RateLimit, WINDOW_SECONDS } from "../http/rate-limit.ts";
import { forgetSilentNodes, tellUse, useOfOthers } from "./sql.ts";

/**
 * Nodes on one database share each key's budget: four times a second (keys/tasks.ts) each writes how many requests it
 * allowed and counts those of the others as its own. No request waits for that. Until an exchange completes, a burst
 * that hits several nodes at the same time can reach the limit on each of them (docs/decisions/0012).
 */
export interface SharedBudget {
	/** Drops long-silent nodes and exchanges for the first time: earlier requests do not count here. */
	join(): Promise<void>;
	/** Writes the requests allowed here and reads those of the other nodes. Never run two at the same time. */
	exchange(): Promise<void>;
}

export function createSharedBudget(db: Database, rateLimit: RateLimit, now: () => number = monotonicMs): SharedBudget {
	const nodeId = newId();
	// each other node's counts by key at the last exchange; null before the first
	let heard: ReadonlyMap<string, number> | null = null;
	let heardAt = now();

	const exchange = async (): Promise<void> => {
		const use = rateLimit.drain();
		// already drained: if the write fails, these requests are never counted elsewhere, rather than twice
		if (use.length > 0) await tellUse(db, nodeId, use);
		const told = new Map<string, number>();
		const readAt = now();
		// after a gap, the requests of the whole gap are told at once, and those of the last minute count
		const share = Math.min(1, (WINDOW_SECONDS * 1_000) / Math.max(1, readAt - heardAt));
		for (const { nodeId: other, keyId, requests } of await useOfOthers(db, nodeId)) {
			const name = `${other} ${keyId}`;
			told.set(name, requests);
			if (heard === null) continue; // counted before this node joined
			const before = heard.get(name) ?? 0;
			// fewer than before: a crash emptied the table and counting restarted
			rateLimit.add(keyId, Math.ceil((requests < before ? requests : requests - before) * share));
		}
		[heard, heardAt] = [told, readAt];
	};
	return {
		exchange,
		async join() {
			await forgetSilentNodes(db);
			await exchange();
		},
	};
}
