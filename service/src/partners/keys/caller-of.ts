import type { Caller } from "../http/caller.ts";
import type { KeyRow } from "./sql.ts";

/** Copies property by property, because a stored key has digests of its secrets and a caller has none. */
export const callerOf = (key: KeyRow): Caller => ({
	keyId: key.keyId,
	pk: key.pk,
	partnerId: key.partnerId,
	environment: key.environment,
	brandCode: key.brandCode,
	poolId: key.poolId,
	sharedPool: key.sharedPool,
	scopes: new Set(key.scopes),
	requestsPerMinute: key.requestsPerMinute,
	maxHeldUnits: key.maxHeldUnits,
});
