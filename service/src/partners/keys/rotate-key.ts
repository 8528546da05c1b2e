import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { digestOf, type KeyRing } from "./key-ring.ts";
import { DEFAULT_OVERLAP_HOURS, MAX_OVERLAP_DAYS, MAX_OVERLAP_HOURS } from "./limits.ts";
import { selectKeyInUse } from "./select-key.ts";
import { endSecretsIn, insertSecret, nextKeyVersion, touchKey } from "./sql.ts";
import { newSk } from "./token.ts";

const SECONDS_PER_HOUR = 3600;

export interface RotatedKey {
	readonly keyId: string;
	readonly pk: string;
	/** The same `pk_` with its new secret: shown only once, stored nowhere. */
	readonly token: string;
	/** When the older secrets stop working. */
	readonly oldSecretEndsAt: Date;
	/** The secrets that worked until now, oldest first; one that ends sooner than the overlap keeps its end. */
	readonly oldSecrets: readonly { readonly createdAt: Date; readonly endsAt: Date }[];
}

/**
 * Adds a secret to a key and ends the older ones after the overlap. Holds and orders belong to the `pk_`, which stays.
 * Refuses with `wrong_state` if the key has ended.
 */
export async function rotateKey(
	tx: Query,
	ring: KeyRing,
	selector: string,
	overlapHours: number = DEFAULT_OVERLAP_HOURS,
): Promise<RotatedKey | Refusal<"not_found" | "invalid_input" | "wrong_state">> {
	if (!(overlapHours >= 0 && overlapHours <= MAX_OVERLAP_HOURS)) {
		return refuse("invalid_input", `The overlap is 0 to ${MAX_OVERLAP_HOURS} hours (${MAX_OVERLAP_DAYS} days).`);
	}
	const version = await nextKeyVersion(tx);
	const key = await selectKeyInUse(tx, selector);
	if (isRefusal(key)) return key;
	const { ends, older } = await endSecretsIn(tx, key.keyId, overlapHours * SECONDS_PER_HOUR);
	const sk = newSk(key.environment);
	const pepper = ring.current;
	await insertSecret(tx, { secretId: newId(), keyId: key.keyId, digest: digestOf(sk, pepper), pepperId: pepper.id });
	await touchKey(tx, key.keyId, version);
	const oldSecrets = older.map(({ createdAt, endsAt }) => ({
		createdAt: new Date(createdAt),
		endsAt: new Date(endsAt),
	}));
	return { keyId: key.keyId, pk: key.pk, token: `${key.pk}:${sk}`, oldSecretEndsAt: new Date(ends), oldSecrets };
}
