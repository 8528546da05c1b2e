import { must } from "../../ground/lib/assert.ts";
import { NO_STAMP, type Stamped } from "../../ground/lib/stamped.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { createVersionedCache, type VersionedCache } from "../../ground/pg/versioned-cache.ts";
import { selectPromised } from "./sql.ts";

/** Units promised per formula and pool, safety buffer included, as of one change. Immutable. */
export interface Promised extends Stamped {
	units(formulaId: string, poolId: number): number;
}

/**
 * Promised demand in memory, trusted like the catalogue: only after the transaction at hand has said nothing changed.
 */
export type PromisedCache = VersionedCache<Promised>;

/** As long as nobody has asked. */
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
