import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { lockToken, setTokenRevoked, type TokenRow } from "./sql.ts";
import { publicHalfOf } from "./token.ts";

/** Ends a token for good: every node refuses it within a second. `changed` is false if it had already ended. */
export async function revokeToken(
	tx: Query,
	id: string,
): Promise<{ readonly row: TokenRow; readonly changed: boolean } | Refusal<"not_found">> {
	const known = await lockToken(tx, publicHalfOf(id));
	if (known === null) return refuse("not_found", "There is no token with this id.");
	if (known.revokedAt !== null) return { row: known, changed: false };
	return { row: (await setTokenRevoked(tx, known.op)) ?? known, changed: true };
}
