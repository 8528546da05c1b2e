import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type ShownHold, type ShownPart, selectHold, selectHoldParts } from "./list-holds-sql.ts";

export type HoldWithParts = ShownHold & { readonly parts: readonly ShownPart[] };

/** One hold with its parts and lots. Refuses `not_found`. */
export async function showHold(db: Query, reservationToken: string): Promise<HoldWithParts | Refusal<"not_found">> {
	const [{ rows }, parts] = await Promise.all([
		selectHold(db, reservationToken),
		selectHoldParts(db, reservationToken),
	]);
	const [hold] = rows;
	return hold ? { ...hold, parts: parts.rows } : refuse("not_found", `There is no hold ${reservationToken}.`);
}
