import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { deleteFactor, selectFactors } from "./factor-sql.ts";
import { lockPersonById } from "./sql.ts";

/** Refuses `not_possible_now` for the last factor where one is required. */
export async function removeFactor(
	tx: Query,
	{ personId, factorId, isRequired }: { personId: string; factorId: string; isRequired: boolean },
): Promise<{ readonly removed: string } | Refusal<"not_found" | "not_possible_now">> {
	await lockPersonById(tx, personId);
	const factors = await selectFactors(tx, personId);
	const factor = factors.find((one) => one.factorId === factorId);
	if (factor === undefined) return refuse("not_found", "You have no second factor with this id.");
	if (isRequired && factors.length === 1) {
		return refuse("not_possible_now", "A second factor is required here: add another before you remove the last one.");
	}
	await deleteFactor(tx, personId, factorId);
	return { removed: factor.name };
}
