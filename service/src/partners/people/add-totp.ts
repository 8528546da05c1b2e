import { newId } from "../../ground/lib/ids.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { FactorDeps } from "./accept-code.ts";
import { insertTotp, selectFactors } from "./factor-sql.ts";
import { MAX_FACTORS } from "./limits.ts";
import { lockPersonById } from "./sql.ts";
import { newTotpSecret } from "./totp.ts";

/**
 * Begins to add an authenticator app, which counts once a first code was accepted. Refuses `not_possible_now` if there
 * are too many factors.
 */
export async function addTotp(
	tx: Query,
	{ totpSealer }: FactorDeps,
	personId: string,
	name: string,
): Promise<{ readonly factorId: string; readonly secret: string } | Refusal<"not_possible_now">> {
	await lockPersonById(tx, personId);
	if ((await selectFactors(tx, personId)).length >= MAX_FACTORS) {
		return refuse("not_possible_now", `You have ${MAX_FACTORS} second factors already: remove one first.`);
	}
	const factorId = newId();
	const secret = newTotpSecret();
	await insertTotp(tx, personId, { factorId, name, ...totpSealer.seal(factorId, secret) });
	return { factorId, secret };
}
