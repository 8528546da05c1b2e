import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import type { FactorDeps } from "./accept-code.ts";
import { beginFactors, type SessionOfPerson } from "./begin-factors.ts";
import { lockTotps, useTotp } from "./factor-sql.ts";
import { firstRecoveryCodes } from "./renew-recovery-codes.ts";
import { lockPersonById } from "./sql.ts";
import { acceptedStep } from "./totp.ts";

/**
 * Confirms an authenticator app by its first code. `codes`: recovery codes, which are made with the first factor of a
 * person and shown only this once; null: the person has some. `sessionId`: the session in which this is done. Refuses
 * `not_found` and `invalid_input`.
 */
export async function confirmTotp(
	tx: Query,
	{ totpSealer }: FactorDeps,
	{ personId, sessionId, factorId, code }: SessionOfPerson & { readonly factorId: string; readonly code: string },
): Promise<{ readonly codes: readonly string[] | null } | Refusal<"not_found" | "invalid_input">> {
	await lockPersonById(tx, personId);
	const totp = (await lockTotps(tx, personId)).find((one) => one.factorId === factorId && !one.isConfirmed);
	if (totp === undefined) return refuse("not_found", "There is no authenticator app that waits for its first code.");
	const secret = totpSealer.open(factorId, totp);
	const step = secret === null ? null : acceptedStep(secret, code, await selectNow(tx), totp.lastStep);
	if (step === null) {
		const message = "/one_time_code: this is not the code that the app shows now; check the clock of the device";
		return refuse("invalid_input", message);
	}
	await beginFactors(tx, { personId, sessionId });
	await useTotp(tx, factorId, step);
	return { codes: await firstRecoveryCodes(tx, personId) };
}
