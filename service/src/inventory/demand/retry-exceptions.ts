import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import type { DemandSettings } from "./draw-units.ts";
import { selectException, selectReferencesWithExceptions } from "./exceptions-sql.ts";
import { type ReconciledAgain, reconcileAgain } from "./reconcile-again.ts";

/** References looked up at a time. */
const REFERENCES_PER_LOOK = 500;

export interface Retried extends ReconciledAgain {
	/** References that were settled again. */
	readonly references: number;
}

/**
 * Tries exceptions again with the stores, SKUs and lots that there are now: what is open is promised, what was shipped
 * is drawn down. Of one exception its whole reference is settled; null: of all. Each reference in a transaction of its
 * own. `shared`: what is missing is looked for in the shared stock too, whatever was said of it before. Refuses
 * `not_found` when there is no such exception.
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
				? await selectReferencesWithExceptions(db, after, REFERENCES_PER_LOOK)
				: [(await selectException(db, exceptionId))?.reference];
		for (const reference of found) {
			if (reference === undefined) return refuse("not_found", `There is no exception ${exceptionId}.`);
			const settled = await reconcileAgain(db, settings, reference, origin, shared);
			if (isRefusal(settled)) return settled;
			total = {
				references: total.references + 1,
				drawnUnits: total.drawnUnits + settled.drawnUnits,
				missingUnits: total.missingUnits + settled.missingUnits,
			};
		}
		const last = found.at(-1);
		if (exceptionId !== null || last === undefined) return total;
		after = last;
	}
}
