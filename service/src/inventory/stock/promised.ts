import { must } from "../../ground/lib/assert.ts";
import { NO_STAMP, type Stamped } from "../../ground/lib/stamped.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { createVersionedCache, type VersionedCache } from "../../ground/pg/versioned-cache.ts";
import { selectPromised } from "./sql.ts";

/** Promised units by formula and pool, including the safety buffer, as of one change; immutable. */
export interface Promised extends Stamped {
	units(formulaId: string, poolId: number): number;
}

/** Promised demand in memory. Use it only after the current transaction has confirmed its stamp. */
export type PromisedCache = VersionedCache<Promised>;

/** Placeholder until the first load. */
const NOTHING_PROMISED: Promised = { stamp: NO_STAMP, units: () => 0 };

export const createPromisedCache = (): PromisedCache => createVersionedCache(NOTHING_PROMISED, load);

async function load(tx: Query, seen: Promised): Promise<Promised> {
	const units = new Map<string, Map<number, number>>();
	let current: string | undefined;
	for (const [stamp, formulaId, poolId, promised] of await selectPromised(tx, [seen.stamp])) {
		if (stamp !== null) {
			current = stamp;
			continue;
		}
		const pools = units.get(formulaId);
		if (pools) pools.set(poolId, promised);
		else units.set(formulaId, new Map([[poolId, promised]]));
	}
	const stamp = must(current, "demand_epoch");
	if (stamp === seen.stamp) return seen;
	if (units.size === 0) return { stamp, units: () => 0 };
	return { stamp, units: (formulaId, poolId) => units.get(formulaId)?.get(poolId) ?? 0 };
}
