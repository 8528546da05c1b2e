import { must } from "../lib/assert.ts";
import type { Query } from "../pg/connect.ts";
import { selectDemandEpoch, selectPromised } from "./sql.ts";

/** Units promised per formula and pool, safety buffer included, as of one version. Immutable. */
export interface Promised {
	readonly version: number;
	units(formulaId: string, poolId: number): number;
}

/** Promised demand in memory, trusted like the catalogue: only after the transaction at hand has said nothing changed. */
export interface PromisedCache {
	read(tx: Query): Promise<Promised>;
	/** What was last read, perhaps superseded. */
	guess(): Promised;
}

/** As long as nobody has asked. */
const NOTHING_PROMISED: Promised = { version: -1, units: () => 0 };

export function createPromisedCache(): PromisedCache {
	let promised = NOTHING_PROMISED;
	return {
		guess: () => promised,
		async read(tx) {
			const [row] = await selectDemandEpoch(tx, []);
			const [version] = must(row, "demand_epoch");
			if (version === promised.version) return promised;
			const fresh = await load(tx, version);
			if (fresh.version > promised.version) promised = fresh; // another connection may have been quicker
			return fresh;
		},
	};
}

async function load(tx: Query, version: number): Promise<Promised> {
	const units = new Map<string, Map<number, number>>();
	for (const [formulaId, poolId, promised] of await selectPromised(tx, [])) {
		const pools = units.get(formulaId);
		if (pools) pools.set(poolId, promised);
		else units.set(formulaId, new Map([[poolId, promised]]));
	}
	if (units.size === 0) return { version, units: () => 0 };
	return { version, units: (formulaId, poolId) => units.get(formulaId)?.get(poolId) ?? 0 };
}
