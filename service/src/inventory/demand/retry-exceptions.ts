import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import type { DemandSettings } from "./draw-units.ts";
import { selectException, selectReferencesWithExceptions } from "./exceptions-sql.ts";
import { type ReconciledAgain, reconcileAgain } from "./reconcile-again.ts";

export interface Retried extends ReconciledAgain {
	/** Number of references reconciled again. */
	readonly references: number;
}

/**
 * Retries an exception with the current stores, SKUs and lots: open kits are promised, shipped kits are drawn down.
 * Reconciles its whole reference. `shared`: search the shared stock for missing units, too, whatever the store allows.
 * Refuses `not_found` for an unknown exception.
 */
export async function retryException(
	tx: Query,
	settings: DemandSettings,
	exceptionId: number,
	origin: Origin,
	shared: boolean,
): Promise<Retried | Refusal<"not_found" | "invalid_input">> {
	const exception = await selectException(tx, exceptionId);
	if (exception === null) return refuse("not_found", `There is no exception ${exceptionId}.`);
	const reconciled = await reconcileAgain(tx, settings, exception.reference, origin, shared);
	if (isRefusal(reconciled)) return reconciled;
	const { drawnUnits, missingUnits } = reconciled;
	return { references: 1, drawnUnits, missingUnits };
}

/** How far a retry of all open exceptions has come. */
export interface RetryState {
	/** The last reference that was reconciled again. */
	readonly after: string;
	readonly retried: Retried;
}

export const RETRY_BEGINS: RetryState = { after: "", retried: { references: 0, drawnUnits: 0, missingUnits: 0 } };

/** Retries the open exceptions of the next reference; null: there is none. */
export async function retryExceptionsStep(
	tx: Query,
	settings: DemandSettings,
	{ after, retried }: RetryState,
	origin: Origin,
): Promise<RetryState | null | Refusal<"invalid_input">> {
	const [reference] = await selectReferencesWithExceptions(tx, after, 1);
	if (reference === undefined) return null;
	const reconciled = await reconcileAgain(tx, settings, reference, origin);
	if (isRefusal(reconciled)) return reconciled;
	return {
		after: reference,
		retried: {
			references: retried.references + 1,
			drawnUnits: retried.drawnUnits + reconciled.drawnUnits,
			missingUnits: retried.missingUnits + reconciled.missingUnits,
		},
	};
}
