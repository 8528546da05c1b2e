import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import type { DemandSettings } from "./draw-units.ts";
import { selectException, selectReferencesWithExceptions } from "./exceptions-sql.ts";
import { type ReconciledAgain, reconcileAgain } from "./reconcile-again.ts";

/** References per query. */
const REFERENCES_PER_PAGE = 500;

export interface Retried extends ReconciledAgain {
	/** Number of references reconciled again. */
	readonly references: number;
}

/**
 * Retries exceptions with the current stores, SKUs and lots: open kits are promised, shipped kits are drawn down.
 * Reconciles the whole reference of one exception, or all (null), each reference in its own transaction. `shared`:
 * search the shared stock for missing units, too, whatever the store allows. Refuses `not_found` for an unknown
 * exception.
 */
export async function retryExceptions(
	db: Database,
	settings: DemandSettings,
	exceptionId: number | null,
	origin: Origin,
	shared = false,
): Promise<Retried | Refusal<"not_found" | "invalid_input" | "rate_limited">> {
	let total: Retried = { references: 0, drawnUnits: 0, missingUnits: 0 };
	for (let after = ""; ; ) {
		const found =
			exceptionId === null
				? await selectReferencesWithExceptions(db, after, REFERENCES_PER_PAGE)
				: [(await selectException(db, exceptionId))?.reference];
		for (const reference of found) {
			if (reference === undefined) return refuse("not_found", `There is no exception ${exceptionId}.`);
			const reconciled = await reconcileAgain(db, settings, reference, origin, shared);
			if (isRefusal(reconciled)) return reconciled;
			total = {
				references: total.references + 1,
				drawnUnits: total.drawnUnits + reconciled.drawnUnits,
				missingUnits: total.missingUnits + reconciled.missingUnits,
			};
		}
		const last = found.at(-1);
		if (exceptionId !== null || last === undefined) return total;
		after = last;
	}
}
