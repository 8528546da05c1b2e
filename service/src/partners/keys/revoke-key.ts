import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectKey } from "./select-key.ts";
import { nextKeyVersion, setRevocation } from "./sql.ts";

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
