import { newId } from "../../ground/lib/ids.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { insertPartners, selectPartners } from "./sql.ts";

/** Creates the partners that do not exist yet. Returns the ids of all of them by name. */
export async function putPartners(tx: Query, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
	const known = await selectPartners(tx, names);
	const fresh = names.filter((name) => !known.has(name));
	if (fresh.length === 0) return known;
	const ids = fresh.map(() => newId());
	await insertPartners(tx, ids, fresh);
	return await selectPartners(tx, names); // another transaction may have created one of them in between
}
