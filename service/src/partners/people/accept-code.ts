import type { Query } from "../../ground/pg/connect.ts";
import type { Sealer } from "../admin/sealer.ts";
import { lockTotps, useRecoveryCode, useTotp } from "./factor-sql.ts";
import { digestOfSecret, plainRecoveryCode } from "./one-time.ts";
import { acceptedStep, isTotpForm } from "./totp.ts";

/** What is needed to check codes. */
export interface FactorDeps {
	/** Encrypts TOTP secrets. */
	readonly totpSealer: Sealer;
}

/**
 * Accepts a person's code once: one of an authenticator app, or a recovery code. False: it is not valid, or it was
 * used. `nowMs`: epoch milliseconds.
 */
export async function acceptCode(
	tx: Query,
	{ totpSealer }: FactorDeps,
	{ personId, code, nowMs }: { readonly personId: string; readonly code: string; readonly nowMs: number },
): Promise<boolean> {
	if (!isTotpForm(code)) return await useRecoveryCode(tx, personId, digestOfSecret(plainRecoveryCode(code)));
	for (const totp of await lockTotps(tx, personId)) {
		const secret = totp.isConfirmed ? totpSealer.open(totp.factorId, totp) : null;
		const step = secret === null ? null : acceptedStep(secret, code, nowMs, totp.lastStep);
		if (step === null) continue;
		await useTotp(tx, totp.factorId, step);
		return true;
	}
	return false;
}
