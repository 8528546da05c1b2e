/** Milliseconds for which an id is remembered: events can be sent again for 30 days, and are then tried for up to 4. */
const REMEMBER_MS = 35 * 86_400_000;
/** Maximum number of ids that are kept in memory, about ten megabytes; the oldest are forgotten first. */
const MAX_IDS = 100_000;

/**
 * Remembers the ids of events: a table, keys in Redis, or `memorySeen()`.
 *
 * `once` adds an id before it runs the handler. When the handler throws, the id must not stay, or no later attempt
 * would run it: either `add` is part of the handler's transaction, which is rolled back, or the store has `remove`.
 */
export interface SeenStore {
	/** Remembers an id until `untilMs` (epoch milliseconds), in one step. True: it is new. False: it was there. */
	add(id: string, untilMs: number): Promise<boolean>;
	/** Forgets an id. Not needed where `add` is part of the handler's transaction. */
	remove?(id: string): Promise<unknown>;
}

/**
 * Runs a handler once for each event, although an event may arrive twice: `once(store)(event, handler)`. True: the
 * handler ran. False: the event was handled before; answer the delivery with 200.
 *
 * When the handler throws, its error is rethrown, and the event does not count as seen: the next attempt of the service
 * runs the handler again. With a store that has no `remove`, and whose `add` was not rolled back, only the same process
 * does so; other processes consider the event handled.
 *
 * While a handler runs, a second call with its event in the same process waits for it, and fails if it fails.
 *
 * A process that is killed while a handler runs leaves the id in a store that is outside the handler's transaction, and
 * the event is not handled. Inside the transaction no event is lost, and none is handled twice:
 * `database.transaction((tx) => once(seenIn(tx))(event, () => handle(event, tx)))`.
 */
export function once(store: SeenStore) {
	const running = new Map<string, Promise<boolean>>();
	/** Ids that are still in the store although the handler failed. */
	const failed = new Set<string>();

	async function run<E extends { readonly id: string }>(event: E, handler: (event: E) => unknown): Promise<boolean> {
		const isNew = await store.add(event.id, Date.now() + REMEMBER_MS);
		const hasFailed = failed.delete(event.id);
		if (!isNew && !hasFailed) return false;
		try {
			await handler(event);
			return true;
		} catch (error) {
			if (!(await isRemoved(store, event.id))) trim(failed.add(event.id));
			throw error;
		}
	}

	return async <E extends { readonly id: string }>(event: E, handler: (event: E) => unknown): Promise<boolean> => {
		const first = running.get(event.id);
		if (first !== undefined) {
			await first;
			return false;
		}
		const own = run(event, handler).finally(() => running.delete(event.id));
		running.set(event.id, own);
		return own;
	};
}

/** False if the store fails, too: the error of the handler is the one to report. */
async function isRemoved(store: SeenStore, id: string): Promise<boolean> {
	try {
		await store.remove?.(id);
		return store.remove !== undefined;
	} catch {
		return false;
	}
}

/** Remembers ids in this process, until it ends. */
export function memorySeen(): SeenStore {
	const ends = new Map<string, number>();
	return {
		async add(id, untilMs) {
			if ((ends.get(id) ?? 0) > Date.now()) return false;
			trim(ends.set(id, untilMs));
			return true;
		},
		async remove(id) {
			ends.delete(id);
		},
	};
}

function trim(ids: Map<string, unknown> | Set<string>): void {
	for (const id of ids.keys()) {
		if (ids.size <= MAX_IDS) return;
		ids.delete(id);
	}
}
