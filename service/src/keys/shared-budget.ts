import { newId } from "../lib/ids.ts";
import type { Database } from "../pg/connect.ts";
import type { RateLimit } from "./rate-limit.ts";
import { forgetSilentNodes, tellUse, useOfOthers } from "./sql.ts";

/** Milliseconds between two exchanges. */
const EXCHANGE_EVERY_MS = 250;

/**
 * Nodes on one database share each key's budget: four times a second each tells how many requests it let through and counts those
 * of the others as its own. No request waits for it. Until an exchange has come round, a burst that hits several nodes at once
 * can pass each of them up to the limit (docs/decisions/0012).
 */
export interface SharedBudget {
	/** Tells and listens once. */
	exchange(): Promise<void>;
	start(): Promise<void>;
	stop(): Promise<void>;
}

export function createSharedBudget(
	db: Database,
	rateLimit: RateLimit,
	onError: (error: unknown) => void = () => undefined,
): SharedBudget {
	const nodeId = newId();
	// what each other node had told of each key when we last listened; null: we have not listened yet
	let heard: ReadonlyMap<string, number> | null = null;
	let running: Promise<void> | null = null;
	let timer: NodeJS.Timeout | undefined;

	const exchange = async (): Promise<void> => {
		const use = rateLimit.drain();
		// what cannot be told is lost to the others, never told twice
		if (use.length > 0) await tellUse(db, nodeId, use);
		const told = new Map<string, number>();
		for (const { nodeId: other, keyId, requests } of await useOfOthers(db, nodeId)) {
			const name = `${other} ${keyId}`;
			told.set(name, requests);
			if (heard === null) continue; // of before our time
			const before = heard.get(name) ?? 0;
			// fewer than before: the table was emptied by a crash and the count began again
			rateLimit.add(keyId, requests < before ? requests : requests - before);
		}
		heard = told;
	};
	return {
		exchange,
		async start() {
			await forgetSilentNodes(db);
			await exchange();
			timer = setInterval(() => {
				running ??= exchange()
					.catch(onError)
					.finally(() => {
						running = null;
					});
			}, EXCHANGE_EVERY_MS);
			timer.unref();
		},
		async stop() {
			clearInterval(timer);
			await running;
		},
	};
}
