import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectKeyInUse } from "./select-key.ts";
import { nextKeyVersion, setSuspended } from "./sql.ts";

export interface SuspendedKey {
	readonly keyId: string;
	readonly pk: string;
	readonly suspended: boolean;
}

/** `wrong_state`: the key is revoked or expired, and can be neither suspended nor resumed. */
type SuspendRefusal = "not_found" | "invalid_input" | "wrong_state";

/** Suspends a key until it is resumed; its holds stay. Idempotent. */
export const suspendKey = (tx: Query, selector: string): Promise<SuspendedKey | Refusal<SuspendRefusal>> =>
	change(tx, selector, true);

/** Resumes a suspended key. */
export const resumeKey = (tx: Query, selector: string): Promise<SuspendedKey | Refusal<SuspendRefusal>> =>
	change(tx, selector, false);

async function change(
	tx: Query,
	selector: string,
	suspended: boolean,
): Promise<SuspendedKey | Refusal<SuspendRefusal>> {
	const version = await nextKeyVersion(tx);
	const key = await selectKeyInUse(tx, selector);
	if (isRefusal(key)) return key;
	await setSuspended(tx, key.keyId, suspended, version);
	return { keyId: key.keyId, pk: key.pk, suspended };
}
