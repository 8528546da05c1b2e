import type { Database } from "./connect.ts";
import type { ListSource, Reads } from "./reads.ts";
import { snapshot } from "./transaction.ts";

export const listsOfPrimary = (primary: Database): ListSource => ({
	query: (text, values) => primary.query(text, values),
	snapshot: (work) => snapshot(primary, work),
});

/** Without a replica, the primary answers everything. */
export const readsOfPrimary = (primary: Database): Reads => ({
	read: (_owners, work) => work(primary),
	forOwner: () => listsOfPrimary(primary),
	follow: () => undefined,
	source: () => null,
	look: () => Promise.resolve(),
	state: () => null,
	close: () => Promise.resolve(),
});
