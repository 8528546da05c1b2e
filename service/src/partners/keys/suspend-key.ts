import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectKey, selectKeyInUse } from "./select-key.ts";
import { nextKeyVersion, setRevocation, setSuspended } from "./sql.ts";

export interface SuspendedKey {
	readonly keyId: string;
	readonly pk: string;
	readonly suspended: boolean;
}

/** `wrong_state`: the key is revoked or expired, and can be neither suspended nor resumed. */
type SuspendRefusal = "not_found" | "invalid_input" | "wrong_state";

const change =
	(suspended: boolean) =>
	async (tx: Query, selector: string): Promise<SuspendedKey | Refusal<SuspendRefusal>> => {
		const version = await nextKeyVersion(tx);
		const key = await selectKeyInUse(tx, selector);
		if (isRefusal(key)) return key;
		await setSuspended(tx, key.keyId, suspended, version);
		return { keyId: key.keyId, pk: key.pk, suspended };
	};

/** Suspends a key until it is resumed; its holds stay. Idempotent. */
export const suspendKey = change(true);
export const resumeKey = change(false);

export interface RevokedKey {
	readonly keyId: string;
	readonly pk: string;
	/** From this moment on it is refused everywhere. */
	readonly revokeAt: Date;
}

/** Revokes a key for good, now or at `at`. An earlier revocation takes precedence. */
export async function revokeKey(
	tx: Query,
	selector: string,
	at: Date | null = null,
): Promise<RevokedKey | Refusal<"not_found" | "invalid_input">> {
	const version = await nextKeyVersion(tx);
	const key = await selectKey(tx, selector);
	if (isRefusal(key)) return key;
	const revokeAt = await setRevocation(tx, key.keyId, at, version);
	return { keyId: key.keyId, pk: key.pk, revokeAt: new Date(revokeAt) };
}
