import { SANDBOX_BRAND, SHARED_POOL_ID } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { noSuch } from "../catalog/find-shelf.ts";
import { selectPoolId } from "../catalog/list-catalog-sql.ts";
import { MAX_NAME_OF_LINE_LENGTH } from "./limits.ts";
import { isStorableText } from "./report.ts";
import { deleteStore, type ListedStore, lockStore, putStore, selectStorePools } from "./stores-sql.ts";

/**
 * Sets the brand whose stock a store sells (`brandCode` null: the shared stock). Afterwards the caller reconciles the
 * store's pending orders again; by then, no other transaction can still use the previous assignment. Units already
 * drawn down stay with their lots. Refuses `not_found` for an unknown brand and `invalid_input` for the sandbox's
 * brand, whose units never ship.
 */
export async function setStore(
	tx: Query,
	{ store, brandCode, shared }: ListedStore,
): Promise<{ readonly isNew: boolean } | Refusal<"not_found" | "invalid_input">> {
	if (brandCode === SANDBOX_BRAND)
		return refuse("invalid_input", `${SANDBOX_BRAND} is the brand of the sandbox: its units never ship.`);
	if (!isStorableText(store, MAX_NAME_OF_LINE_LENGTH))
		return refuse("invalid_input", `A store's name has 1 to ${MAX_NAME_OF_LINE_LENGTH} characters.`);
	const poolId = brandCode === null ? SHARED_POOL_ID : await selectPoolId(tx, brandCode);
	if (poolId === null) return refuse("not_found", await noSuch(tx, "brands", brandCode ?? ""));
	await lockStore(tx, store, "alone");
	const isNew = (await selectStorePools(tx, store)) === null;
	await putStore(tx, store, poolId, shared);
	return { isNew };
}

/**
 * Removes the assignment of a store to a brand; false: the store is unknown. The caller reconciles its pending orders
 * again: promises of its open orders are released and become exceptions.
 */
export async function removeStore(tx: Query, store: string): Promise<boolean> {
	await lockStore(tx, store, "alone");
	return (await deleteStore(tx, store)) > 0;
}
