import { newId } from "../../ground/lib/ids.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { FactorDeps } from "./accept-code.ts";
import {
	countRecoveryCodes,
	deleteFactor,
	insertTotp,
	lockTotps,
	replaceRecoveryCodes,
	selectFactors,
	useTotp,
} from "./factor-sql.ts";
import { MAX_FACTORS } from "./limits.ts";
import { digestOfSecret, newRecoveryCodes } from "./one-time.ts";
import { lockPersonById, selectNow } from "./sql.ts";
import { acceptedStep, newTotpSecret } from "./totp.ts";

/**
 * Begins to add an authenticator app, which counts once a first code was accepted. Refuses `not_possible_now`: there are
 * too many factors.
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

/**
 * Confirms an authenticator app by its first code. `codes`: recovery codes, which are made with the first factor of a
 * person and shown only this once; null: the person has some. Refuses `not_found` and `invalid_input`.
 */
export async function confirmTotp(
	tx: Query,
	{ totpSealer }: FactorDeps,
	{ personId, factorId, code }: { readonly personId: string; readonly factorId: string; readonly code: string },
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
	await useTotp(tx, factorId, step);
	const hasCodes = (await countRecoveryCodes(tx, personId)) > 0;
	return { codes: hasCodes ? null : await renewRecoveryCodes(tx, personId) };
}

/** New recovery codes; the earlier ones end. */
export async function renewRecoveryCodes(tx: Query, personId: string): Promise<readonly string[]> {
	const codes = newRecoveryCodes();
	await replaceRecoveryCodes(tx, personId, codes.map(digestOfSecret));
	return codes;
}

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
