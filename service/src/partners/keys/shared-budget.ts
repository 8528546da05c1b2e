import { newId } from "../../ground/lib/ids.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { forgetSilentNodes, tellUse, useOfOthers } from "./sql.ts";

/**
 * Nodes on one database share each key's budget: four times a second (keys/tasks.ts) each writes how many requests it
 * let through and counts those of the others as its own. No request waits for it. Until an exchange has come round, a
 * burst that hits several nodes at once can pass each of them up to the limit (docs/decisions/0012).
 */
export interface SharedBudget {
	/**
	 * Forgets nodes that have long been silent, and exchanges for the first time: what others counted before is not
	 * counted here.
	 */
	join(): Promise<void>;
	/** Writes the requests let through here and reads those of the other nodes. Never two at once. */
	exchange(): Promise<void>;
}

export function createSharedBudget(db: Database, rateLimit: RateLimit): SharedBudget {
	const nodeId = newId();
	// what each other node had told of each key when we last listened; null: we have not listened yet
	let heard: ReadonlyMap<string, number> | null = null;

	const exchange = async (): Promise<void> => {
		const use = rateLimit.drain();
		// requests that cannot be written are lost to the others, never counted twice
		if (use.length > 0) await tellUse(db, nodeId, use);
		const told = new Map<string, number>();
		for (const { nodeId: other, keyId, requests } of await useOfOthers(db, nodeId)) {
			const name = `${other} ${keyId}`;
			told.set(name, requests);
			if (heard === null) continue; // counted before this node joined
			const before = heard.get(name) ?? 0;
			// fewer than before: the table was emptied by a crash and the count began again
			rateLimit.add(keyId, requests < before ? requests : requests - before);
		}
		heard = told;
	};
	return {
		exchange,
		async join() {
			await forgetSilentNodes(db);
			await exchange();
		},
	};
}
